"""What screenplug brings along: documents, policies and scoring methods, written against the public hooks alone."""

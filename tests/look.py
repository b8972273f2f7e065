"""The pages as a reader sees them: light, dark and printed, photographed with a headless Chromium. Run by `make look`.

Tells how many sheets each page prints: one for each ruling, and one for the standings.

python tests/look.py FOLDER       # pictures of the fixture's pages into FOLDER
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIXTURE = ROOT / "fixtures" / "pairs-wbf"
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--hide-scrollbars")  # fmt: skip


def browser() -> str:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
    return found or sys.exit("no Chromium here; install one to look at the pages")


def main(folder: Path) -> None:
    chromium = browser()
    folder.mkdir(parents=True, exist_ok=True)
    for form, *more in (("rulings",), ("appeal", "A-2"), ("appeal", "B-1"), ("rulings", "--detail", "public")):
        page = folder / f"{'-'.join([form, *more]).replace('--detail-', '')}.html"
        command = [sys.executable, "-m", "screenplug", "report", str(FIXTURE / "session.pbn"), "--form", form, *more]
        subprocess.run([*command, "--rulings", str(FIXTURE), "-o", str(page)], cwd=ROOT, stderr=subprocess.DEVNULL)
        with tempfile.TemporaryDirectory() as profile:
            base = [chromium, *QUIET, f"--user-data-dir={profile}"]
            for name, *settings in (("light",), ("dark", "--blink-settings=preferredColorScheme=0")):
                picture = page.with_name(f"{page.stem}-{name}.png")
                shot = [f"--screenshot={picture}", "--window-size=1000,2400", *settings, page.resolve().as_uri()]
                subprocess.run([*base, *shot], check=True, stderr=subprocess.DEVNULL)
                print(picture)
            printed = page.with_suffix(".pdf")
            # A page leaves the size of the paper to the printer; here it is A4, where Chromium would take Letter.
            sheet = Path(profile, "a4.html")
            text = page.read_text(encoding="utf-8")
            sheet.write_text(text.replace("@page {", "@page { size: A4;"), encoding="utf-8")
            paper = [f"--print-to-pdf={printed}", "--no-pdf-header-footer", sheet.as_uri()]
            subprocess.run([*base, *paper], check=True, stderr=subprocess.DEVNULL)
            sheets = len(re.findall(rb"/Type\s*/Page\b", printed.read_bytes()))
            wanted = text.count("<article") + text.count('<section class="standings"')
            print(f"{printed}: {sheets} sheets" + ("" if sheets == wanted else f", {wanted} expected"))
            if pictures := shutil.which("pdftoppm"):
                subprocess.run(
                    [pictures, "-r", "80", "-png", printed, page.with_name(f"{page.stem}-sheet")], check=True
                )


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/look"))

"""The example of the README is run as it is written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from conftest import PATIENCE, Server

README = Path(__file__).parents[1].joinpath("README.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_example_does_what_it_says(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "example.py"
    file.write_text(BLOCKS[0], "utf-8")
    env = {"POSTERN_URL": server.url, "POSTERN_API_KEY": server.key, "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error", file],
        env=env,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "run.succeeded" in lines
    assert "12 francs" in done.stdout
    assert re.fullmatch(r"ENTITY_NOT_FOUND req_\S+", lines[-1])


def test_the_other_examples_are_programs(server: Server, capsys: Any) -> None:
    for block in BLOCKS:
        compile(block, "README.md", "exec")
    names: dict[str, Any] = {}
    exec(BLOCKS[1], names)
    assert names["hook"](b"{}", {}, "whsec_AA==") == 401
    assert capsys.readouterr().out == "missing_header\n"
    names = {"token": server.token}
    exec(BLOCKS[2].replace("https://id.example.com", server.issuer), names)
    assert names["claims"].org_id == server.organization_id

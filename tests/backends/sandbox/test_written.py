"""What lies in folders that a stranger writes to."""

import os
import shutil
from pathlib import Path

from rung.backends.sandbox.written import DEEPEST, Written, measure


def test_files_folders_and_links_are_counted_and_nothing_is_followed(tmp_path: Path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/f").write_bytes(b"x" * 10_000)
    (tmp_path / "out").symlink_to("/usr")
    os.mkfifo(tmp_path / "pipe")
    found = measure([str(tmp_path)], most_files=100)
    assert found.files == 4
    assert 10_000 <= found.bytes < 40_000


def test_a_hole_takes_no_room_and_two_names_of_one_file_take_it_once(tmp_path: Path):
    with (tmp_path / "hole").open("wb") as hole:
        hole.truncate(1 << 30)
    (tmp_path / "f").write_bytes(b"x" * 100_000)
    for n in range(10):
        os.link(tmp_path / "f", tmp_path / str(n))
    found = measure([str(tmp_path)], most_files=100)
    assert found.files == 12
    assert 100_000 <= found.bytes < 200_000


def test_counting_ends_beyond_the_bound(tmp_path: Path):
    for n in range(50):
        (tmp_path / str(n)).touch()
    assert measure([str(tmp_path)], most_files=10).files == 11


def test_folders_are_followed_so_deep_and_no_deeper(tmp_path: Path):
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(DEEPEST + 5):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    found = measure([str(tmp_path)], most_files=10_000)
    shutil.rmtree(tmp_path / "d")
    assert (found.files, found.too_deep) == (DEEPEST, True)


def test_a_folder_that_is_gone_holds_nothing(tmp_path: Path):
    assert measure([str(tmp_path / "gone")], most_files=1) == Written()

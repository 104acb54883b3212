"""copse segment and copse evaluate of pictures."""

import json
import os
import signal
import subprocess
import time

import numpy as np
import pytest


def write_ppm(path, pixels):
    height, width, _ = pixels.shape
    path.write_bytes(b"P6 %d %d 255\n" % (width, height) + pixels.astype(np.uint8).tobytes())


def fields(height, width, seed=1):
    """Four fields of different colours with some noise, and which of them each pixel belongs to."""
    rng = np.random.default_rng(seed)
    truth = (np.arange(height)[:, None] > height // 2) * 2 + (np.arange(width) > width // 3)
    colours = np.array([[200, 60, 60], [60, 180, 60], [60, 60, 200], [220, 210, 90]])
    return np.clip(colours[truth] + rng.normal(0, 6, (height, width, 3)), 0, 255), truth


@pytest.fixture
def picture(tmp_path):
    pixels, truth = fields(60, 80)
    write_ppm(tmp_path / "photo.ppm", pixels)
    np.save(tmp_path / "person.npy", truth.astype(np.int32))
    return truth


QUICK = ["--radius", "8", "--rank", "6", "--superpixels", "12"]


def agreement(labels, truth):
    """The share of pixels in the true field that their segment mostly lies in."""
    return sum(np.bincount(truth[labels == s]).max() for s in np.unique(labels)) / truth.size


@pytest.mark.parametrize("method", ["embed", "clust", "spectral"])
def test_finds_the_fields_and_writes_all_files(copse, tmp_path, picture, method):
    run = copse("segment", "photo.ppm", "--method", method, "--segments", 4, *QUICK, "-o", "out", "--json")
    assert run.returncode == 0, run.stderr
    labels = np.load(tmp_path / "out/labels.npy")
    assert labels.shape == (60, 80) and len(np.unique(labels)) == 4
    assert agreement(labels, picture) > 0.97
    result = json.loads((tmp_path / "out/result.json").read_text())
    assert json.loads(run.stdout) == result
    assert result["command"] == "segment" and result["k"] == 4 and result["settings"]["method"] == method
    assert result["picture"] == {"width": 80, "height": 60, "working_width": 80, "working_height": 60}
    assert [s["pixels"] for s in result["segments"]] == np.bincount(labels.ravel()).tolist()
    assert abs(sum(s["share"] for s in result["segments"]) - 1) < 1e-9
    for key in ("seed", "threads", "rows", "cols", "nonzeros", "iterations", "relative_error", "stop_reason", "seconds",
                "peak_memory_bytes"):
        assert key in result
    for name in ("labels.png", "picture.png", "overlay.png", "segments.png", "boundaries.png"):
        assert (tmp_path / "out" / name).read_bytes().startswith(b"\x89PNG"), name
    levels = np.load(tmp_path / "out/segmentations.npy")
    assert levels.shape == (len(result["levels"]), 60, 80)
    assert [len(np.unique(level)) for level in levels] == result["levels"]
    assert list(tmp_path.glob("out/*.partial*")) == []


def test_without_a_number_it_finds_the_fields(copse, tmp_path, picture):
    assert copse("segment", "photo.ppm", *QUICK, "-o", "out").returncode == 0
    labels = np.load(tmp_path / "out/labels.npy")
    assert len(np.unique(labels)) == 4 and agreement(labels, picture) > 0.97


def test_a_large_picture_is_scaled_and_the_labels_scaled_back(copse, tmp_path):
    pixels, truth = fields(300, 400)
    write_ppm(tmp_path / "photo.ppm", pixels)
    run = copse("segment", "photo.ppm", "--pixels", 4800, "--segments", 4, *QUICK, "-o", "out")
    assert run.returncode == 0 and "400 x 300" in run.stderr and "80 x 60" in run.stderr
    labels = np.load(tmp_path / "out/labels.npy")
    assert labels.shape == (300, 400) and agreement(labels, truth) > 0.95


def test_threads_do_not_matter(copse, tmp_path, picture):
    for threads in (1, 2):
        assert copse("segment", "photo.ppm", *QUICK, "--threads", threads, "-o", f"out{threads}").returncode == 0
    for name in ("labels.npy", "segmentations.npy", "boundaries.png", "overlay.png"):
        assert (tmp_path / "out1" / name).read_bytes() == (tmp_path / "out2" / name).read_bytes(), name


def test_show_and_report_read_the_folder(copse, tmp_path, picture):
    first = copse("segment", "photo.ppm", "--segments", 4, *QUICK, "-o", "out")
    shown = copse("show", "out")
    assert shown.returncode == 0 and shown.stdout.startswith(first.stdout)
    assert json.loads(copse("show", "out", "--json").stdout)["k"] == 4
    page = tmp_path / "out/report.html"
    if page.exists():
        before = page.read_text()
        assert '"kind":"segmentation"' in before and "data:image/png;base64," in before
        assert copse("report", "out", "-o", "again.html").returncode == 0
        assert '"kind":"segmentation"' in (tmp_path / "again.html").read_text()
    assert "earlier result" in copse("segment", "photo.ppm", *QUICK, "-o", "out").stderr
    assert copse("segment", "photo.ppm", "--segments", 3, *QUICK, "-o", "out", "--force", "--no-page").returncode == 0
    assert not page.exists()


def test_evaluate_compares_pictures(copse, tmp_path, picture):
    assert copse("segment", "photo.ppm", "--segments", 4, *QUICK, "-o", "out").returncode == 0
    same = json.loads(copse("evaluate", "out/labels.png", "out/labels.npy", "--json").stdout)
    assert (same["f"], same["covering"], same["variation_of_information"]) == (1, 1, 0)
    # A larger picture, where the tolerance is some pixels.
    pixels, truth = fields(300, 400)
    write_ppm(tmp_path / "large.ppm", pixels)
    np.save(tmp_path / "person.npy", truth.astype(np.int32))
    assert copse("segment", "large.ppm", "--pixels", 30000, "--segments", 4, *QUICK, "-o", "large").returncode == 0
    person = json.loads(copse("evaluate", "large/labels.png", "person.npy", "person.npy", "--json").stdout)
    assert person["people"] == 2 and person["f"] > 0.8 and person["covering"] > 0.9 and person["segments"] == 4
    best = json.loads(copse("evaluate", "large/boundaries.png", "person.npy", "--map", "--json").stdout)
    assert best["f"] > 0.8 and len(best["curve"]) == 99
    assert best["f"] == max(point["f"] for point in best["curve"])
    np.save(tmp_path / "small.npy", np.zeros((5, 5), np.int32))
    wrong = copse("evaluate", "out/labels.png", "small.npy")
    assert wrong.returncode == 1 and "80 x 60" in wrong.stderr and "5 x 5" in wrong.stderr


@pytest.mark.parametrize("content, words", [
    (b"hello", "no picture"),
    (b"", "empty"),
    (b"P6 20000 20000 255\n", "20000 x 20000 pixels, 400.0 million"),
    (b"P6 30 30 255\nxyz", "ends before"),
    (b"\x89PNG\r\n\x1a\n\0\0", "damaged or ends"),
    (b"\xff\xd8\xff\xe0\0\x10JFIF", "damaged"),
])
def test_bad_pictures_get_a_sentence(copse, tmp_path, content, words):
    (tmp_path / "bad").write_bytes(content)
    run = copse("segment", "bad", "-o", "out")
    assert run.returncode == 1 and words in run.stderr and run.stderr.startswith("copse: bad"), run.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("height, width", [(1, 1), (1, 2), (3, 1), (2, 50)])
def test_tiny_pictures(copse, tmp_path, height, width):
    rng = np.random.default_rng(0)
    write_ppm(tmp_path / "tiny.ppm", rng.integers(0, 256, (height, width, 3)))
    for method in ("embed", "clust", "spectral"):
        run = copse("segment", "tiny.ppm", "--method", method, "-o", f"out-{method}")
        assert run.returncode == 0, run.stderr
        assert np.load(tmp_path / f"out-{method}/labels.npy").shape == (height, width)


def test_limits(copse, tmp_path, picture):
    run = copse("segment", "photo.ppm", "--memory-limit", "20M")
    assert run.returncode == 1 and "--memory-limit allows" in run.stderr
    run = copse("segment", "photo.ppm", "--method", "clust", "--time-limit", "0.01s", *QUICK, "-o", "out")
    assert run.returncode == 0 and "out of time" in run.stderr
    assert json.loads((tmp_path / "out/result.json").read_text())["stop_reason"] == "time_limit"
    assert copse("segment", "photo.ppm", "--segments", 1).returncode == 2
    assert copse("segment", "photo.ppm", "--method", "magic").returncode == 2


def test_an_interruption_keeps_what_was_found_or_nothing(program, tmp_path):
    pixels, _ = fields(160, 240)
    write_ppm(tmp_path / "photo.ppm", pixels)
    run = subprocess.Popen([program, "segment", "photo.ppm", "--method", "clust", "-o", "out"], cwd=tmp_path,
                           stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)
    run.send_signal(signal.SIGINT)
    _, words = run.communicate(timeout=60)
    assert run.returncode in (0, 130)
    if run.returncode == 130 and (tmp_path / "out").exists():
        assert "interrupted" in words and os.path.exists(tmp_path / "out/result.json")
    elif run.returncode == 130:
        assert "nothing was written" in words


def test_a_result_from_a_stranger_is_refused_with_a_sentence(copse, picture, tmp_path):
    """What is no picture does not get into a page, pipes are not read, and numbers are checked."""
    assert copse("segment", "photo.ppm", *QUICK, "-o", "out").returncode == 0
    run = copse("assign", "out", "photo.ppm")
    assert run.returncode == 1 and "segments of a picture" in run.stderr
    out = tmp_path / "out"
    whole = json.loads((out / "result.json").read_text())
    page = (out / "report.html").read_bytes()

    def refused(*command):
        run = copse(*command)
        assert run.returncode == 1 and run.stderr.startswith("copse: "), (command, run.returncode, run.stderr)

    changes = [{"levels": []}, {"levels": [-1]}, {"levels": "many"}, {"picture": {**whole["picture"], "width": 1e300}},
               {"picture": {**whole["picture"], "height": 0}}, {"segments": [{**whole["segments"][0], "colour": [1e300, 0, 0]}]},
               {"segments": [{**whole["segments"][0], "pixels": -2**62}]}, {"segments": [{}]}]
    for change in changes:
        (out / "result.json").write_text(json.dumps({**whole, **change}))
        refused("show", "out")
        refused("report", "out")
    (out / "result.json").write_text(json.dumps(whole))
    (tmp_path / "secret.txt").write_text("the secret of the user")
    for name in ("overlay.png", "picture.png", "boundaries.png"):
        saved = (out / name).read_bytes()
        (out / name).unlink()
        (out / name).symlink_to(tmp_path / "secret.txt")
        refused("report", "out")
        (out / name).unlink()
        os.mkfifo(out / name)
        refused("report", "out")
        (out / name).unlink()
        (out / name).write_bytes(saved)
    np.save(out / "segmentations.npy", np.zeros((1001, 1, 1), np.uint16))
    refused("report", "out")
    assert (out / "report.html").read_bytes() == page

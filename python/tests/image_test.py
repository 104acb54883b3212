"""copse.segment: arrays and files in, labels out."""

import numpy as np
import pytest

import copse


def fields(height=60, width=80):
    rng = np.random.default_rng(1)
    truth = (np.arange(height)[:, None] > height // 2) * 2 + (np.arange(width) > width // 3)
    colours = np.array([[200, 60, 60], [60, 180, 60], [60, 60, 200], [220, 210, 90]])
    return np.clip(colours[truth] + rng.normal(0, 6, (height, width, 3)), 0, 255).astype(np.uint8), truth


QUICK = {"radius": 8, "rank": 6, "superpixels": 12}


@pytest.mark.parametrize("method", ["embed", "clust", "spectral"])
def test_finds_the_fields(method):
    image, truth = fields()
    labels = copse.segment(image, 4, method=method, **QUICK)
    assert labels.shape == truth.shape and set(np.unique(labels)) == {0, 1, 2, 3}
    assert sum(np.bincount(truth[labels == s]).max() for s in range(4)) > 0.97 * truth.size


def test_the_same_picture_in_other_forms_gives_the_same_segments(tmp_path):
    image, _ = fields()
    labels = copse.segment(image, 4, **QUICK)
    (tmp_path / "x.ppm").write_bytes(b"P6 80 60 255\n" + image.tobytes())
    opaque = np.dstack([image, np.full(image.shape[:2], 255, np.uint8)])
    for other in (tmp_path / "x.ppm", str(tmp_path / "x.ppm"), image / 255, opaque, image.astype(np.int64), image[::-1][::-1]):
        assert (copse.segment(other, 4, **QUICK) == labels).all()
    assert (copse.segment(image, 4, n_jobs=1, **QUICK) == labels).all()


def test_grey_pictures():
    image = np.zeros((30, 40))
    image[:, 20:] = 0.8
    labels = copse.segment(image, 2, **QUICK)
    assert labels[0, 0] != labels[0, -1]
    assert (copse.segment(np.full((5, 5), 0.5)) == 0).all()


@pytest.mark.parametrize("image", [np.zeros((0, 3)), np.zeros(4), np.zeros((2, 2, 2)), np.full((2, 2), 2.0), np.full((2, 2), np.nan),
                                   np.full((2, 2), 256), np.full((2, 2), -1), np.array([["a"]])])
def test_bad_pictures(image):
    with pytest.raises(ValueError, match="image must"):
        copse.segment(image)


def test_bad_options(tmp_path):
    with pytest.raises(ValueError, match="n_segments"):
        copse.segment(np.zeros((2, 2)), 1)
    with pytest.raises(ValueError, match="method"):
        copse.segment(np.zeros((2, 2)), method="magic")
    (tmp_path / "x.png").write_bytes(b"no picture")
    with pytest.raises(ValueError, match="no picture"):
        copse.segment(tmp_path / "x.png")

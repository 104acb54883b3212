"""Segments of pictures."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from copse import _copse
from copse._random import seed_of
from copse._threads import thread_count

if TYPE_CHECKING:
    from copse._types import Any, RandomState


def segment(
    image: Any,
    n_segments: int | None = None,
    *,
    method: str = "embed",
    rank: int = 16,
    superpixels: int = 51,
    pixels: int = 38_400,
    radius: int = 20,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> np.ndarray:
    """The segment of every pixel, 0, 1, ..., as an array of height x width: `copse segment` for arrays.

    Parameters
    ----------
    image : path or array of height x width, with 1, 3 or 4 channels or none
        Whole numbers from 0 to 255, or real numbers from 0 to 1. A fourth channel is transparency, which is laid on white.
    n_segments : int or None
        How many; None: as many as have strong boundaries. The nearest number that was found is taken.
    method : {"embed", "clust", "spectral"}
        SymNMF-Embed, SymNMF-Clust or Spectral-Embed of [Kuang 2014, section 3.8].
    rank, superpixels, radius : int
        Columns of the factor, superpixels of the embedding, and the radius of a pixel's neighbourhood.
    pixels : int
        A picture with more is scaled down to so many, and the labels are scaled back.
    """
    values: Any = _copse.read_picture(os.fspath(image)) if isinstance(image, (str, os.PathLike)) else _pixels(image)
    if n_segments is not None and not 2 <= n_segments <= 1000:
        raise ValueError(f"n_segments must lie between 2 and 1000; it is {n_segments}.")
    labels: Any = _copse.segment_picture(
        values, n_segments or 0, method, rank, superpixels, pixels, radius, seed_of(random_state), thread_count(n_jobs)
    )
    return labels


def _pixels(image: Any) -> np.ndarray:
    """Three bytes a pixel."""
    array = np.asarray(image)
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3 or array.shape[2] not in (1, 3, 4) or array.size == 0:
        raise ValueError(f"image must be height x width, with 1, 3 or 4 channels or none; its shape is {np.shape(image)}.")
    real = np.issubdtype(array.dtype, np.floating)
    if not real and not np.issubdtype(array.dtype, np.integer) and array.dtype != bool:
        raise ValueError(f"image must hold numbers; its type is {array.dtype}.")
    largest = 1 if real or array.dtype == bool else 255
    if not (np.isfinite(array).all() and array.min() >= 0 and array.max() <= largest):
        raise ValueError(f"image must hold numbers from 0 to {largest}.")
    array = array.astype(np.float64) * (255 / largest)
    if array.shape[2] == 4:
        alpha = array[:, :, 3:] / 255
        array = alpha * array[:, :, :3] + (1 - alpha) * 255
    return np.ascontiguousarray(np.broadcast_to(np.rint(array).astype(np.uint8), (*array.shape[:2], 3)))

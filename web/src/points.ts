// Draws many small discs into an array of pixels: 100,000 of them take a few milliseconds, which one call of the canvas
// per disc would not.

// Straight alpha, as ImageData has it; colours as 0xBBGGRR.
export function drawPoints(
  pixels: Uint32Array,
  width: number,
  height: number,
  x: Float32Array,
  y: Float32Array,
  colours: Uint32Array,
  transform: { x: number; y: number; k: number },
  radius: number,
) {
  pixels.fill(0);
  const reach = Math.ceil(radius);
  const side = 2 * reach + 1;
  const cover = new Uint8Array(side * side);
  for (let j = -reach; j <= reach; ++j)
    for (let i = -reach; i <= reach; ++i)
      cover[(j + reach) * side + i + reach] = 230 * Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(i, j)));
  for (let d = 0; d < x.length; ++d) {
    const cx = Math.round(transform.x + transform.k * x[d]!);
    const cy = Math.round(transform.y + transform.k * y[d]!);
    // Also leaves out NaN, which is in no order with any number.
    if (!(cx >= reach && cy >= reach && cx < width - reach && cy < height - reach)) continue;
    const colour = colours[d]!;
    for (let j = 0, c = 0; j < side; ++j) {
      let at = (cy - reach + j) * width + cx - reach;
      for (let i = 0; i < side; ++i, ++at, ++c) {
        const alpha = cover[c]!;
        if (alpha > pixels[at]! >>> 24) pixels[at] = colour | (alpha << 24);
      }
    }
  }
}

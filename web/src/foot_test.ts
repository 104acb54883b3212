import { expect, it } from "vitest";
import { settingText } from "./foot";

it("tells settings in words", () => {
  expect([null, true, false, -1, 0, 0.25, "symmetric"].map(settingText)).toEqual(["none", "yes", "no", "automatic", "0", "0.25", "symmetric"]);
});

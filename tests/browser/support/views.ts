/**
 * The views in which each kind of page is checked: both brands and both widths, in two runs instead of four. Colors
 * come from the brand and the layout from the width, so a fault in either shows in one of them.
 */
export const views = [
  { site: 'institutional', width: 1440 },
  { site: 'ns', width: 360 },
] as const

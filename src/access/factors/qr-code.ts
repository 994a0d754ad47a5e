/** Modules of white around the code (ISO/IEC 18004 asks for four). */
const BORDER = 4

/** A QR code for an SVG: a square of `size` modules, border included, and the path of the dark ones. */
interface QrCode {
  size: number
  path: string
}

/** A text as a QR code. */
export async function qrCodeOf(text: string): Promise<QrCode> {
  const { encode } = await import('uqr')
  const { data, size } = encode(text, { ecc: 'M', border: BORDER })
  const rows = data.map((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')).join(''))
  return { size, path: rows.join('') }
}

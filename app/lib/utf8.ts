/** Decodes bytes that must be UTF-8. Null if they are not; a decoder that is lenient would store other characters. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/**
 * Decodes a form that is not multipart. `isBroken` if some of it is not UTF-8. A percent sign that escapes nothing stands
 * for itself, as in browsers.
 */
export function decodeForm(bytes: Uint8Array): { fields: URLSearchParams; isBroken: boolean } {
  const text = decodeUtf8(bytes)
  const lenient = text ?? Buffer.from(bytes).toString('utf8')
  return { fields: new URLSearchParams(lenient), isBroken: text === null || !isDecodable(text) }
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'))
    return true
  } catch {
    return false
  }
}

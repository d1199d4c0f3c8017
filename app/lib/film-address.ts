/**
 * The address of a film: a page, player address or embed code of Vimeo (only the address is kept), or the address of a
 * file. A path of this site is one of its own static files.
 */
type FilmAddress =
  | { player: 'vimeo'; address: string; asset: string }
  | { player: 'native'; address: string; asset: string }

/** Null if the text is not the address of a film, such as `javascript:` and `data:`. */
export function readFilmAddress(text: string): FilmAddress | null {
  const address = (/<iframe[^>]*\ssrc=["']([^"']+)["']/i.exec(text)?.[1] ?? text).replaceAll('&amp;', '&').trim()
  if (/^\/films\/[a-z0-9][a-z0-9/_.-]*$/i.test(address) && !address.includes('..')) {
    return { player: 'native', address, asset: address }
  }
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return null
  if (/^(www\.|player\.)?vimeo\.com$/.test(url.hostname)) return vimeoAddress(url)
  return { player: 'native', address: url.href, asset: url.href }
}

/** `vimeo.com/123`, `vimeo.com/123/abc` and `player.vimeo.com/video/123?h=abc`: an unlisted film has a second part. */
function vimeoAddress(url: URL): FilmAddress | null {
  const [, asset, second] = /\/(\d{1,15})(?:\/([0-9a-f]+))?\/?$/i.exec(url.pathname) ?? []
  if (!asset) return null
  const secret = url.searchParams.get('h') ?? second
  const query = secret && /^[0-9a-f]+$/i.test(secret) ? `?h=${secret}` : ''
  return { player: 'vimeo', address: `https://player.vimeo.com/video/${asset}${query}`, asset }
}

/** The page of a film at Vimeo; null for other films. */
export function vimeoPage(text: string): string | null {
  const film = readFilmAddress(text)
  if (film?.player !== 'vimeo') return null
  const secret = new URL(film.address).searchParams.get('h')
  return `https://vimeo.com/${film.asset}${secret === null ? '' : `/${secret}`}`
}

/** The captions of a lecture or video, for people who may open it. */
export function captionsAddress(kind: 'lecture' | 'video', uid: string): string {
  return `/captions/${kind}s/${uid}.vtt`
}

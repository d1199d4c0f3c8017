/**
 * The address of a film: a page, player address or embed code of Vimeo (only the address is kept), or the address of a
 * file. A path of this site is one of its own static files, or the uploaded file of a film.
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
  if (readFilmFileAddress(address)) return { player: 'native', address, asset: address }
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

/** The page of a film at Vimeo: `vimeo.com/123`, and `vimeo.com/123/abc` for an unlisted one. Null for other films. */
export function vimeoPage(text: string): string | null {
  const film = readFilmAddress(text)
  if (film?.player !== 'vimeo') return null
  const secret = new URL(film.address).searchParams.get('h')
  return `https://vimeo.com/${film.asset}${secret === null ? '' : `/${secret}`}`
}

export type FilmKind = 'lecture' | 'video'

/** The uploaded file of a lecture or video, for people who may open it. `fileName` is the stored name. */
export function filmFileAddress(kind: FilmKind, uid: string, fileName: string): string {
  return `/film-files/${kind}s/${uid}${/\.[a-z0-9]+$/.exec(fileName)?.[0] ?? ''}`
}

/** The film that an address of this kind belongs to; null for any other address. */
export function readFilmFileAddress(address: string): { kind: FilmKind; uid: string } | null {
  const [, kind, uid] = /^\/film-files\/(lecture|video)s\/([0-9a-f-]{36})\.(?:mp4|webm)$/.exec(address) ?? []
  return kind && uid ? { kind: kind as FilmKind, uid } : null
}

/** The captions of a lecture or video in a language, for people who may open it. */
export function captionsAddress(kind: FilmKind, uid: string, language: string): string {
  return `/captions/${kind}s/${uid}.${language}.vtt`
}

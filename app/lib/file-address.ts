/** Download addresses of files, as paths of their site. */

/** The original bytes, for the uploader and staff. `name` is the stored name. */
export function fileAddress(name: string): string {
  return `/files/${name}`
}

/** A picture that we re-encoded, for anyone who has the address. It never changes. */
export function imageAddress(uid: string): string {
  return `/images/${uid}.webp`
}

export function uploadAddress(uid: string): string {
  return `/uploads/${uid}/`
}

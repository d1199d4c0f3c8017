/** Where files are fetched from, as paths of their site. */

/** The bytes as they were uploaded: for the uploader and staff. `name` is the stored name. */
export function fileAddress(name: string): string {
  return `/files/${name}`
}

/** A picture that we re-encoded: for anyone who has the address, for ever the same. */
export function imageAddress(uid: string): string {
  return `/images/${uid}.webp`
}

export function uploadAddress(uid: string): string {
  return `/uploads/${uid}/`
}

import { useEffect, useState } from 'react'
import type { FileState } from './use-file.ts'

type Props = { address: string; isCover: boolean; onShape: (isCropped: boolean) => void }

/** Shows a picture: a cover as a card crops it, saying whether the crop takes something away, and others whole. */
export function FilePreview({ address, isCover, onShape }: Props) {
  return (
    <img
      src={address}
      className={isCover ? undefined : 'is-whole'}
      alt=""
      width="160"
      height="90"
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
        onShape(naturalHeight > 0 && Math.abs(naturalWidth / naturalHeight / (16 / 9) - 1) > 0.03)
      }
    />
  )
}

/** The address of the picture in a file field: on this machine during the upload, and then on the server. */
export function useFilePreview(state: FileState, extensions: readonly string[]): string | null {
  const isPicture = isPictureKind(extensions)
  const file =
    isPicture && (state.phase === 'uploading' || (state.phase === 'failed' && state.canRetry)) ? state.file : null
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    if (!file) return setAddress(null)
    const made = URL.createObjectURL(file)
    setAddress(made)
    return () => {
      // The picture may still be loading, if the upload was faster.
      setTimeout(() => URL.revokeObjectURL(made), 10_000)
    }
  }, [file])
  if (file) return address
  return isPicture && state.phase === 'complete' ? (state.value.url ?? null) : null
}

export function isPictureKind(extensions: readonly string[]): boolean {
  return extensions.every((extension) => ['.png', '.jpg', '.jpeg'].includes(extension))
}

import { useEffect, useLayoutEffect } from 'react'

/** `useLayoutEffect` in the browser. On the server, where it would warn, `useEffect`. */
export const useEffectBeforePaint = typeof document === 'undefined' ? useEffect : useLayoutEffect

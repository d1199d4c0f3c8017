import { useEffect, useLayoutEffect } from 'react'

/** `useLayoutEffect` in the browser. The server has no layout, and says so. */
export const useEffectBeforePaint = typeof document === 'undefined' ? useEffect : useLayoutEffect

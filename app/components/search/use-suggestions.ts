import { useEffect, useState } from 'react'
import type { Suggestion } from './kinds.ts'

const waitMs = 180

/** Returns titles for the typed text, from the second character on. Returns none if the request fails. */
export function useSuggestions(text: string, type: string): Suggestion[] {
  const [found, setFound] = useState<{ text: string; suggestions: Suggestion[] }>({ text: '', suggestions: [] })
  const query = text.trim()
  useEffect(() => {
    if (query.length < 2) return
    const aborting = new AbortController()
    const timer = setTimeout(async () => {
      const suggestions = await load(query, type, aborting.signal).catch(() => [])
      if (!aborting.signal.aborted) setFound({ text: query, suggestions })
    }, waitMs)
    return () => {
      clearTimeout(timer)
      aborting.abort()
    }
  }, [query, type])
  // The old suggestions stay until new ones arrive, so that the list does not flicker.
  return query.length < 2 ? [] : found.suggestions
}

async function load(query: string, type: string, signal: AbortSignal): Promise<Suggestion[]> {
  const answer = await fetch(`/search-suggestions/?${new URLSearchParams({ query, type })}`, { signal })
  if (!answer.ok) return []
  return ((await answer.json()) as { suggestions: Suggestion[] }).suggestions
}

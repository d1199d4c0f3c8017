import { Form, useSearchParams } from '@remix-run/react'
import { useId, useRef, useState } from 'react'
import { copyLink } from '~/browser/clipboard.ts'
import { caseKey, isStorable } from '~/lib/text.ts'
import { useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { CloseFooter, RouteDialog } from '../route-dialog.tsx'

type Props = { module: string; origin: string; names: string[] }

/** Links to modules by name, which keep working when a module gets a new version. */
export function Interlinking({ module, origin, names }: Props) {
  const isHydrated = useHydrated()
  const [name, setName] = useState(module)
  const link = linkTo(origin, name)
  const { closeTo, others } = useListBehind()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  return (
    <RouteDialog
      title="Module Interlinking"
      size="md"
      isForm
      closeTo={closeTo}
      initialFocus={input}
      footer={<CloseFooter closeTo={closeTo} />}
    >
      <div className="stack">
        <Form
          method="get"
          className="interlink"
          preventScrollReset
          onSubmit={(event) => {
            event.preventDefault()
          }}
        >
          {others.map(([key, value]) => (
            <input key={key} type="hidden" name={key} value={value} />
          ))}
          <div className="field">
            <label htmlFor={id}>Module name</label>
            <input
              ref={input}
              id={id}
              className="input"
              name="module"
              list={`${id}-names`}
              value={name}
              maxLength={255}
              autoComplete="off"
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <datalist id={`${id}-names`}>
              {names.map((known) => (
                <option key={known} value={known} />
              ))}
            </datalist>
          </div>
          {!isHydrated && (
            <button className="btn btn--primary" type="submit">
              Create link
            </button>
          )}
        </Form>
        {link === null ? (
          <p className="muted">Enter the name of a module to get a link that opens it by its name.</p>
        ) : (
          <MadeLink link={link} isKnown={names.some((known) => caseKey(known) === caseKey(name))} />
        )}
      </div>
    </RouteDialog>
  )
}

function MadeLink({ link, isKnown }: { link: string; isKnown: boolean }) {
  const isHydrated = useHydrated()
  const id = useId()
  return (
    <>
      <p>Use this link in texts and packages that refer to the module. It opens the module by its name.</p>
      <div className="interlink">
        <div className="field">
          <label htmlFor={id}>Link</label>
          <input id={id} className="input" readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
        </div>
        {isHydrated && (
          <button className="btn btn--primary" type="button" onClick={() => copyLink(link)}>
            <Icon name="copy" />
            Copy
          </button>
        )}
      </div>
      <p className="muted small" role="status">
        {isKnown
          ? 'The link opens the module for everyone who has access to it, while it is published.'
          : 'No module on this site has this name yet, so the link will not work.'}
      </p>
    </>
  )
}

/** Returns the link to a module; null if the name is empty or contains characters that cannot be stored. */
function linkTo(origin: string, name: string): string | null {
  const clean = name.trim()
  if (clean === '' || !isStorable(clean)) return null
  return `${origin}/lms/m/module_link?module=${encodeURIComponent(clean)}`
}

/** Returns the address of the list behind the dialog, and its parameters, without those of the dialog. */
function useListBehind(): { closeTo: string; others: [string, string][] } {
  const [params] = useSearchParams()
  const others = [...params].filter(([key]) => key !== 'module')
  return { closeTo: `/dashboard/modules/?${new URLSearchParams(others)}`, others }
}

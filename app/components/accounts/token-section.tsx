import { Form } from '@remix-run/react'
import { useEffect, useId, useRef, useState } from 'react'
import type { Refused } from '~/forms/refused.ts'
import { TextField } from '../ui/fields.tsx'
import { CsrfField, FormErrors, useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { PasswordField } from '../ui/password-field.tsx'

export type TokenRow = { uid: string; name: string; hint: string; scope: string; expires: string; used: string }

type Props = {
  tokens: TokenRow[]
  newUid: string
  made: { token: string; name: string } | undefined
  csrf: string | null
  refusal: Refused | undefined
}

export function TokenSection({ tokens, newUid, made, csrf, refusal }: Props) {
  return (
    <>
      <p className="muted">
        Your programs use tokens at <code>/graphql/</code>, in the header <code>Authorization: Bearer</code>. A token
        acts in your name. It ends when you reset your password by email, and stays valid when you change it, unless you
        choose to revoke it.
      </p>
      {made && <MadeToken {...made} />}
      {tokens.length > 0 && (
        <ul className="rows">
          {tokens.map((token) => (
            <TokenItem key={token.uid} {...token} csrf={csrf} />
          ))}
        </ul>
      )}
      <details
        key={made?.token ?? 'first'}
        id={made ? undefined : 'new-token'}
        className="unfold"
        open={refusal !== undefined || undefined}
      >
        <summary className="btn btn--secondary">Create a token</summary>
        <Form method="post" action="#new-token" className="stack" noValidate>
          <FormErrors refusal={refusal} />
          <TextField
            name="name"
            label="Name"
            hint="Something that you will recognize, such as the program that will use it."
            maxLength={100}
            defaultValue={refusal?.values.name ?? ''}
            error={refusal?.fieldErrors.name}
          />
          <Choices
            name="scope"
            legend="What it may do"
            chosen={refusal?.values.scope ?? 'read'}
            options={[
              { value: 'read', label: 'Read only' },
              { value: 'write', label: 'Read and write' },
            ]}
          />
          <Choices
            name="days"
            legend="How long it lasts"
            chosen={refusal?.values.days ?? '90'}
            options={['30', '90', '365'].map((value) => ({ value, label: `${value} days` }))}
          />
          <PasswordField
            name="currentPassword"
            label="Password"
            hint="Your current one. We will email you about the new token."
            autoComplete="current-password"
            error={refusal?.fieldErrors.currentPassword}
          />
          <CsrfField token={csrf} />
          <input type="hidden" name="uid" value={newUid} />
          <p>
            <button className="btn btn--primary" type="submit" name="intent" value="create-token">
              Create token
            </button>
          </p>
        </Form>
      </details>
    </>
  )
}

function TokenItem({ uid, name, hint, scope, expires, used, csrf }: TokenRow & { csrf: string | null }) {
  return (
    <li>
      <div>
        <strong>{name}</strong>
        <p className="small muted">{`${scope}, ends in ${hint}, valid until ${expires}, ${used}`}</p>
      </div>
      <details className="unfold unfold--end">
        <summary className="btn btn--secondary">
          Revoke<span className="sr-only">{` ${name}, ends in ${hint}`}</span>
        </summary>
        <Form method="post" preventScrollReset>
          <p className="small">Programs that use this token will stop working immediately.</p>
          <CsrfField token={csrf} />
          <input type="hidden" name="token" value={uid} />
          <button className="btn btn--danger" type="submit" name="intent" value="revoke-token">
            Revoke token<span className="sr-only">{` ${name}, ends in ${hint}`}</span>
          </button>
        </Form>
      </details>
    </li>
  )
}

function MadeToken({ token, name }: { token: string; name: string }) {
  const id = useId()
  const isHydrated = useHydrated()
  const [isCopied, setCopied] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (token) field.current?.focus()
  }, [token])
  return (
    <div id="new-token" className="notice notice--success" role="status">
      <Icon name="check" />
      <div className="stack min-w-0">
        <p>
          <strong>{`The token "${name}" was created.`}</strong>
          Copy it now. You can see it only once.
        </p>
        <div className="field">
          <label htmlFor={id}>Access token</label>
          <input
            ref={field}
            className="input"
            id={id}
            readOnly
            value={token}
            onFocus={(event) => event.currentTarget.select()}
          />
        </div>
        {isHydrated && (
          <button
            className="btn btn--secondary"
            type="button"
            onClick={() => navigator.clipboard?.writeText(token).then(() => setCopied(true))}
          >
            <Icon name={isCopied ? 'check' : 'copy'} />
            {isCopied ? 'Copied' : 'Copy'}
          </button>
        )}
      </div>
    </div>
  )
}

type ChoicesProps = { name: string; legend: string; chosen: string; options: { value: string; label: string }[] }

function Choices({ name, legend, chosen, options }: ChoicesProps) {
  return (
    <fieldset className="question">
      <legend>{legend}</legend>
      <div className="choices">
        {options.map(({ value, label }) => (
          <label key={value} className="choice">
            <input type="radio" name={name} value={value} defaultChecked={value === chosen} />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

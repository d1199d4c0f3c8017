import { Form } from '@remix-run/react'
import { CsrfField } from '../ui/form.tsx'

export type SessionRow = { uid: string; agent: string; address: string | null; seen: string; isCurrent: boolean }

export function SessionList({ sessions, csrf }: { sessions: SessionRow[]; csrf: string | null }) {
  return (
    <>
      <ul className="rows">
        {sessions.map(({ uid, agent, address, seen, isCurrent }) => (
          <li key={uid}>
            <div>
              <strong>{agent}</strong>
              <p className="small muted">
                {[address, isCurrent ? 'now' : `last seen ${seen}`].filter(Boolean).join(', ')}
              </p>
            </div>
            {isCurrent ? (
              <span className="chip">This session</span>
            ) : (
              <Form method="post" preventScrollReset>
                <CsrfField token={csrf} />
                <input type="hidden" name="session" value={uid} />
                <button className="btn btn--secondary" type="submit" name="intent" value="end-session">
                  Log out
                  <span className="sr-only"> {[agent, address, `last seen ${seen}`].filter(Boolean).join(', ')}</span>
                </button>
              </Form>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 && (
        <Form method="post" preventScrollReset>
          <CsrfField token={csrf} />
          <button className="btn btn--secondary" type="submit" name="intent" value="end-others">
            Log out elsewhere
          </button>
        </Form>
      )}
    </>
  )
}

import { Icon } from '../ui/icon.tsx'

/** As http/signed-out.server.ts makes it. */
export type KeptFormData = { action: string; login: string; fields: [name: string, value: string][] }

/** What people type in the console's forms. Choices go along unseen: their names are not for somebody who is signed out. */
const labels: Record<string, string> = {
  name: 'Name',
  coverImgDesc: 'Cover image description',
  tags: 'Topics/tags',
  description: 'Description',
}

/** Where a form's post met an ended session, without JavaScript: all that it held, to be sent again after signing in. */
export function KeptForm({ form }: { form: KeptFormData }) {
  const isTyped = ([name, value]: [string, string]) => name in labels && value !== ''
  return (
    <div className="wrap keptform">
      <h1>You have been signed out</h1>
      <div className="notice notice--error" role="alert">
        <Icon name="alert" />
        <p>
          <strong>Nothing was saved yet. What you typed is still here.</strong>
          <a href={form.login} target="_blank" rel="noreferrer">
            Log in in another tab
          </a>
          , then come back to this one and press Continue: the form appears again with all that it held, to be saved.
          Only a file that you had just chosen has to be chosen again.
        </p>
      </div>
      <form method="post" action={form.action} encType="multipart/form-data" className="formstack">
        {form.fields.map((field, index) =>
          isTyped(field) ? (
            <div className="field" key={index}>
              <label htmlFor={`kept-${index}`}>{labels[field[0]]}</label>
              <textarea
                id={`kept-${index}`}
                className="input"
                name={field[0]}
                defaultValue={field[1]}
                rows={field[1].length > 80 ? 4 : 1}
              />
            </div>
          ) : (
            <input key={index} type="hidden" name={field[0]} value={field[1]} />
          ),
        )}
        <p>
          <button className="btn btn--primary" type="submit">
            Continue
          </button>
        </p>
      </form>
    </div>
  )
}

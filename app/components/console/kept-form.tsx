import { type KeptForm as Form, labelFieldOf } from '~/forms/kept-form.ts'
import { Icon } from '../ui/icon.tsx'

/** Where a form's post met an ended session, without JavaScript: all that it held, to be sent again after signing in. */
export function KeptForm({ form }: { form: Form }) {
  const { labels } = form
  const isShown = ([name, value]: [string, string]) => Object.hasOwn(labels, name) && value !== ''
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
          isShown(field) ? (
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
        {Object.entries(labels).map(([name, label]) => (
          <input key={name} type="hidden" name={labelFieldOf(name)} value={label} />
        ))}
        <p>
          <button className="btn btn--primary" type="submit">
            Continue
          </button>
        </p>
      </form>
    </div>
  )
}

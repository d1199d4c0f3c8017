import { data } from '@remix-run/node'
import { formIdField } from '~/forms/form-id.ts'
import { neverSentBack } from '~/forms/never-sent-back.ts'
import { decodeForm } from '~/lib/utf8.ts'
import type { Ctx } from '~/services/context.ts'
import {
  Conflict,
  type FieldErrors,
  Forbidden,
  Invalid,
  NotFound,
  Outage,
  outageOf,
  ServiceError,
  Unavailable,
} from '~/services/errors.ts'
import { ChangedMeanwhile } from '~/services/revisions.ts'
import { csrfToken, isCsrfTokenValid } from './csrf.server.ts'
import type { Exchange } from './exchange.server.ts'
import { type FileFields, readFormWithFiles } from './form-files.server.ts'
import { isMultipart, maxFields, tooManyParts } from './multipart.server.ts'

/**
 * The answer to a refused post: one sentence, messages by field, and the typed values (never passwords or tokens).
 * `repeated` has all values of names that came more than once. `formId` names the form on the page.
 */
export type Refusal = {
  message: string
  fieldErrors: FieldErrors
  values: Record<string, string>
  repeated: Record<string, string[]>
  formId?: string
  /** The thing that the form edits no longer exists. Reloading its page would lose the typed values. */
  isGone?: boolean
  csrf: string
}

const staleForm = 'This page was open for too long. Nothing was lost: please send it again.'
const notUtf8 = 'Some characters of this form cannot be read. Please type them again.'

/** Whether a field of a form may come back to the page that sent it. What begins with two underscores is the form's own. */
export function isSentBack(name: string): boolean {
  return !neverSentBack.test(name) && !name.startsWith('__')
}

/** The revision that a form was opened with. Anything but a whole number is none that was ever stored. */
export function revisionIn(form: FormData): number {
  const value = text(form, 'revision')
  return /^\d{1,15}$/.test(value) ? Number(value) : -1
}

type ActionArgs = { request: Request; context: { exchange: Exchange } }

/**
 * Runs an action on a posted form. Checks the CSRF token first. Returns a service's refusal as a Refusal with 400, 404,
 * 403, 409, 422 or 429, and an outage as one with 503; every other error is a fault and goes to the error page. `files`
 * names the fields that hold a file: the files of their inputs (`{field}-file`) are stored, and the field's value becomes
 * the stored name (form-files.server.ts).
 */
export async function withForm<T>(
  args: ActionArgs,
  ctx: Ctx,
  work: (form: FormData) => Promise<T>,
  options: { files?: FileFields; isButton?: boolean } = {},
): Promise<T | ReturnType<typeof data<Refusal>>> {
  const { exchange } = args.context
  const { form, refusal } = await readForm(args, ctx, options.files ?? {})
  if (refusal) return refuse(ctx, exchange, form, refusal)
  if (!(await isCsrfTokenValid(ctx, exchange, text(form, 'csrf')))) {
    if (options.isButton) exchange.setHeader('X-CSRF-Failure', 'reload')
    return refuse(ctx, exchange, form, { message: staleForm, status: 400 })
  }
  try {
    return await work(form)
  } catch (error) {
    const refused = error instanceof ServiceError ? error : outageOf(error)
    if (!refused) throw error
    if (refused !== error) exchange.log.error({ err: error }, 'a form could not be processed')
    if (refused instanceof Unavailable) exchange.setHeader('Retry-After', String(refused.retryAfter))
    return refuse(ctx, exchange, form, {
      message: refused.message,
      fieldErrors: refused.fieldErrors,
      isGone: refused instanceof NotFound,
      status: statusOf(refused),
    })
  }
}

/**
 * The same for a form without typed fields: a browser whose token is stale may reload its page (L-259;
 * app/browser/server-calls.ts).
 */
export function withButton<T>(
  args: ActionArgs,
  ctx: Ctx,
  work: (form: FormData) => Promise<T>,
): ReturnType<typeof withForm<T>> {
  return withForm(args, ctx, work, { isButton: true })
}

type Reading = { form: FormData; refusal?: { message: string; fieldErrors?: FieldErrors; status: number } }

async function readForm(args: ActionArgs, ctx: Ctx, files: FileFields): Promise<Reading> {
  const { request } = args
  if (!isMultipart(request.headers.get('content-type'))) {
    // A body that is not a form has no CSRF token either.
    const { form, isBroken } = await readFields(request)
    if (isBroken) return { form, refusal: { message: notUtf8, status: 400 } }
    // None of our forms has nearly as many. A body of 1 MB could hold half a million fields, and the answering page
    // would repeat them all.
    if ([...form.keys()].length > maxFields)
      return { form: new FormData(), refusal: { message: tooManyParts, status: 400 } }
    return { form }
  }
  const { form, fieldErrors, refused } = await readFormWithFiles(args, ctx, files)
  if (refused) return { form, refusal: { message: refused.message, status: refused.status } }
  const [message] = Object.values(fieldErrors)
  return message === undefined ? { form } : { form, refusal: { message, fieldErrors, status: 400 } }
}

async function readFields(request: Request): Promise<{ form: FormData; isBroken: boolean }> {
  const form = new FormData()
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers.get('content-type') ?? '')
  if (!isForm) return { form, isBroken: false }
  const { fields, isBroken } = decodeForm(new Uint8Array(await request.arrayBuffer()))
  for (const [name, value] of fields) form.append(name, value)
  return { form, isBroken }
}

/** The fields of a form, or the parameters of an address. */
export type Fields = { get(name: string): FormDataEntryValue | null }

export function text(fields: Fields, name: string): string {
  const value = fields.get(name)
  return typeof value === 'string' ? value : ''
}

/** `throw notFoundPage()` for something that does not exist, or not for this viewer. */
export function notFoundPage(): Response {
  return new Response(null, { status: 404, statusText: 'Not Found' })
}

/**
 * Turns a loader's refusal into a page. Content that the viewer may not see gets a 404, like missing content and
 * invalid addresses. What is too busy says so with a 503, and when to come back if there is an exchange. An outage is left
 * to entry.server.tsx.
 */
export function throwAsPage(error: unknown, exchange?: Exchange): never {
  if (error instanceof NotFound || error instanceof Invalid) throw notFoundPage()
  if (error instanceof Forbidden) throw new Response(null, { status: 403, statusText: 'Access Error' })
  if (error instanceof Unavailable && !(error instanceof Outage)) {
    exchange?.setHeader('Retry-After', String(error.retryAfter))
    throw new Response(error.message, { status: 503, statusText: 'Service Unavailable' })
  }
  throw error
}

export function statusOf(error: ServiceError): number {
  if (error instanceof Invalid) return 400
  if (error instanceof NotFound) return 404
  if (error instanceof Forbidden) return 403
  if (error instanceof ChangedMeanwhile) return 409
  if (error instanceof Conflict) return 422
  if (error instanceof Outage) return 503
  if (error instanceof Unavailable) return 429
  return 400
}

async function refuse(
  ctx: Ctx,
  exchange: Exchange,
  form: FormData,
  refusal: { message: string; fieldErrors?: FieldErrors; isGone?: boolean; status: number },
) {
  return data(await refusalOf(ctx, exchange, form, refusal), { status: refusal.status })
}

/**
 * The body of a refusal, for actions that send back other values than the posted ones, to a form that starts over
 * (`formId`).
 */
export async function refusalOf(
  ctx: Ctx,
  exchange: Exchange,
  form: FormData,
  refusal: { message: string; fieldErrors?: FieldErrors; formId?: string; isGone?: boolean },
): Promise<Refusal> {
  const values: Record<string, string> = {}
  const repeated: Record<string, string[]> = {}
  const sent = new Map<string, string[]>()
  for (const [name, value] of form) {
    if (typeof value !== 'string' || !isSentBack(name)) continue
    const texts = sent.get(name)
    if (texts) texts.push(value)
    else sent.set(name, [value])
  }
  for (const [name, texts] of sent) {
    values[name] = texts.at(-1) ?? ''
    if (texts.length > 1) repeated[name] = texts
  }
  const formId = refusal.formId ?? text(form, formIdField)
  return {
    message: refusal.message,
    fieldErrors: refusal.fieldErrors ?? {},
    values,
    repeated,
    ...(formId && { formId }),
    ...(refusal.isGone && { isGone: true }),
    csrf: await csrfToken(ctx, exchange),
  }
}

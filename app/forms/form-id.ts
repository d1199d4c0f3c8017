/** The name under which remix-validated-form posts a form's id. */
export const formIdField = '__rvfInternalFormId'

/** Messages for failed files, by reason: what happened and what to do. `docs/files.md` lists the same reasons. */
export const FILE_FAILURES: Record<string, string> = {
  corrupt:
    'The file is damaged, or is not what its name says. Open it with its own program, save it again and upload the result.',
  encrypted: 'A password locks the file. Save it without a password, and upload the result.',
  too_large: 'The file holds more than is read of one file. Divide it into several files.',
  timeout: 'Reading the file took too long. Divide it into several files.',
  no_text:
    'The file has no text, as a scan has none. Recognize its text with a program, and upload the result.',
  unsupported:
    'Files of this kind are not read. Save it as .docx, .xlsx, .pptx or PDF, and upload the result.',
  encoding:
    'The encoding of the text cannot be recognized. Save the file as UTF-8, or process it again with its `charset`.',
  crashed:
    'The program that reads the file crashed. Process the file again; if it fails again, ask the operator.',
  crashed_repeatedly:
    'The server ended three times while it read the file. Ask the operator before it is processed again.',
  cannot_start: 'The program that reads files could not be started. Ask the operator.',
  malformed_output:
    'The program that reads the file answered what it must not, so the file may be harmful. Do not process it again.',
  machine_busy: 'The machine had no time to read the file. Process it again later.',
  aborted: 'Reading the file was interrupted. Process it again.',
  not_stored: 'The text of the file could not be stored. Ask the operator: the disk may be full.',
  blob_missing: 'The bytes of the file are missing. Upload it again, and tell the operator.',
  blob_altered: 'The stored bytes of the file have changed. Upload it again, and tell the operator.',
  blob_late: 'The bytes of the file did not arrive in time. Process it again.',
}

/** Messages for failed documents, by reason, or by code where there is no reason. `docs/knowledge.md` lists the same. */
export const DOCUMENT_FAILURES: Record<string, string> = {
  no_text:
    'The document has no text, only blanks. Replace it by a text or a file that has some, or delete it.',
  too_many_chunks: 'The document would have more than 20,000 passages. Divide it into several documents.',
  knowledge_base_full:
    'The knowledge base would have more than 100,000 passages. Delete documents, or use another base; then index the document again.',
  file_failed:
    'The file of the document could not be processed. Process the file again; then index the document again.',
  file_deleted:
    'The file that was to replace the document was deleted. The document is as it was: replace it again, or index it again.',
  embeddings_status_401:
    'The endpoint that makes vectors refused the key. The operator renews `EMBEDDINGS_KEY`; then index the document again.',
  embeddings_status_403:
    'The endpoint that makes vectors refused the key. The operator renews `EMBEDDINGS_KEY`; then index the document again.',
  embeddings_status_404:
    'The endpoint that makes vectors does not know the path or the model. The operator corrects `EMBEDDINGS_URL` and `EMBEDDINGS_MODEL`; then index the document again.',
  embeddings_status_429:
    'The endpoint that makes vectors takes no more requests for now. Index the document again later.',
  embeddings_status:
    'The endpoint that makes vectors answered with an error. Index the document again later; if it fails again, ask the operator.',
  embeddings_unreachable:
    'The endpoint that makes vectors could not be reached. Index the document again later; if it fails again, the operator checks `EMBEDDINGS_URL`.',
  embeddings_timeout:
    'The endpoint that makes vectors did not answer in time. Index the document again later; if it fails again, ask the operator.',
  embeddings_malformed:
    'The endpoint that makes vectors answered with something else than a vector for each passage. The operator checks `EMBEDDINGS_URL` and `EMBEDDINGS_MODEL`; then index the document again.',
  embeddings_too_large:
    'The endpoint that makes vectors answered with more than 8 MiB. The operator chooses a model with shorter vectors; then index the document again.',
  embeddings_redirected:
    'The endpoint that makes vectors redirects to another address. The operator sets `EMBEDDINGS_URL` to that address; then index the document again.',
  crashed_repeatedly:
    'The server ended three times while it indexed the document. Ask the operator before it is indexed again.',
  horizon_passed:
    'The document could not be indexed within a day. Index it again; if it fails again, ask the operator.',
  INDEXING_FAILED:
    'The document could not be indexed. Index it again; if it fails again, tell the operator its id.',
  INSUFFICIENT_CREDITS:
    'The credits do not suffice to index the document. Add credits by `POST /v1/billing/checkout`, or wait for the next cycle; then index it again.',
}

const TABLES: Record<string, Record<string, string>> = {
  PARSE_FAILED: FILE_FAILURES,
  XLSX_CORRUPTED: FILE_FAILURES,
  XLSX_TIMEOUT: FILE_FAILURES,
  PROCESSING_FAILED: FILE_FAILURES,
  INDEXING_FAILED: DOCUMENT_FAILURES,
  INSUFFICIENT_CREDITS: DOCUMENT_FAILURES,
}

/**
 * The message for a failed file or document: what happened, and what to do.
 * @param code the code of the failure
 * @param reason the reason of the failure; null without one
 * @returns two or three sentences; undefined where only the catalogue has a message
 */
export function sentenceOfFailure(code: string, reason: string | null): string | undefined {
  const table = Object.hasOwn(TABLES, code) ? TABLES[code] : undefined
  const keys = [reason ?? code, reason?.replace(/_\d{3}$/, '') ?? code, code]
  const key = keys.find((one) => table !== undefined && Object.hasOwn(table, one))
  return key === undefined ? undefined : table?.[key]
}

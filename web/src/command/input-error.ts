/** Arguments or a file that a command can't use; the message is one sentence. */
export class InputError extends Error {}

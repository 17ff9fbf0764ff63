import type { Cando, CostAnswer, GuardAnswer, LearnAnswer } from "./cando.js";

/** Tell only, send the safe rewrite, or answer in the provider's place. */
export type GuardMode = "report" | "repair" | "reject";

export interface GuardOptions {
  /** What is done about a request that would be refused; `report` if nothing is said. */
  mode?: GuardMode;
  /** Whose API it is, where the address does not tell: a base URL of one's own. */
  provider?: string;
  /** A model that nobody knows is an error. */
  strict?: boolean;
  /** Sees what happens. What it throws is ignored. Without one, `report` writes to the console. */
  on?: (event: GuardEvent) => unknown;
  /** The fetch that makes the calls; the global one if nothing is said. */
  fetch?: (input: any, init?: any) => Promise<Response>;
  /** An engine, loaded or being loaded; else all guards of the process share one. */
  cando?: Cando | Promise<Cando>;
  /** Rule files of one's own, as texts, in an engine that this guard has for itself. */
  overlay?: string | Uint8Array | Array<string | Uint8Array>;
  /** How many bytes of a reply are kept at most to tell its cost; 4 MiB if nothing is said. */
  limit?: number;
}

interface OfCall {
  /** The same number for all events of one call. */
  call: number;
  /** Where it went, without query. */
  url: string;
}

/** Before the call: what is thought of the request, and what is done with it. */
export interface VerdictEvent
  extends OfCall, Omit<GuardAnswer, "request" | "reply" | "findings" | "stream"> {
  type: "verdict";
  mode: GuardMode;
  stream?: boolean;
  /** All that is to say, in the order of the request; none if it is not known. */
  findings: NonNullable<GuardAnswer["findings"]>;
}

/** After the call, when its reply has been read to the end or given up. */
export interface CostEvent
  extends OfCall, Partial<Omit<CostAnswer, "model" | "dialect" | "partial">> {
  type: "cost";
  /** false: it could not be told, and `reason` says why. */
  known: boolean;
  reason?: string;
  provider?: string;
  /** That answered, as the reply says; else that which was asked for. */
  model?: string | null;
  dialect?: string;
  stream?: boolean;
  /** It was not read to its end, or has no end. */
  partial: boolean;
}

/** A provider has refused something that was not known; from now on it is. */
export interface LearntEvent extends OfCall {
  type: "learnt";
  provider: string;
  model: string;
  observations: LearnAnswer["observations"];
  /** As a rule, for a file of one's own. */
  rule: string;
}

/** Something went wrong in the guard; the call went on without it. */
export interface FaultEvent extends Partial<OfCall> {
  type: "fault";
  where: "request" | "load" | "verdict" | "reply" | "cost" | "learn";
  error: unknown;
}

export type GuardEvent = VerdictEvent | CostEvent | LearntEvent | FaultEvent;

/** A fetch that judges requests to providers of language models before they are sent. */
export declare function guard(options?: GuardOptions): typeof globalThis.fetch;

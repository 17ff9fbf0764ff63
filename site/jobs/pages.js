// pages.js - jobs of a model's page and of Compare.
import * as params from "../lib/params.js";
import * as switching from "../lib/switch.js";

export const parameters = async (cando, args) => params.parameters(cando, args);
export const switches = async (cando, args) => switching.switches(cando, args);

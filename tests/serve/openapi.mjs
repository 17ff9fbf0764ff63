// openapi.mjs VALIDATOR FILE - is the file a good OpenAPI document? By the package that lies in the folder VALIDATOR.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, file] = process.argv.slice(2);
const entry = createRequire(folder + "/").resolve("@seriousme/openapi-schema-validator");
const { Validator } = await import(pathToFileURL(entry));
const validator = new Validator();
const { valid, errors } = await validator.validate(JSON.parse(readFileSync(file, "utf8")));
console.log(validator.version, valid, valid ? "" : JSON.stringify(errors).slice(0, 3000));
process.exitCode = valid ? 0 : 1;

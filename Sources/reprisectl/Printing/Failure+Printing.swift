import RepriseControl
import Varlink

extension Failure {
    /// Reports the failure on standard error. With JSON, the failure is printed to standard output as well, unless a
    /// reply has already been printed.
    func report(asJSON: Bool) {
        if asJSON, !hasPrintedReply {
            var members = members
            members["line"] = Terminal.batchLineNumber.map { .integer(Int64($0)) }
            do {
                Terminal.writeIfPossible(
                    json: String(decoding: try JSONText.write(members), as: UTF8.self))
            } catch {
                Terminal.writeIfPossible(json: #"{"error":"\#(errorName)"}"#)
            }
        }
        printError()
    }

    /// Prints the failure to standard error.
    func printError() {
        Terminal.printError(
            lines: isMultiline
                ? description.split(separator: "\n", omittingEmptySubsequences: false)
                : [description[...]])
    }
}

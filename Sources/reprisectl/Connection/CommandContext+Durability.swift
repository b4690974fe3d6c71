import RepriseControl
import Varlink

extension CommandContext {
    /// Waits until a change is durable.
    ///
    /// If the change is only written, the method makes another call, which makes all of the application's changes
    /// durable.
    ///
    /// - Parameters:
    ///   - reply: The parameters of the reply.
    ///   - call: The call to which the daemon replied.
    /// - Returns: The updated reply, and a failure if the change is not known to be durable.
    func waitUntilDurable<Call: MethodCall>(
        _ reply: [UInt8], to call: Call
    ) throws -> (reply: [UInt8], failure: Failure?) {
        var members = try Call.decode(reply, as: [String: StateJSON].self)
        guard let saveOutcome = try Call.decode(reply) as? any SaveOutcome else {
            return (reply, nil)
        }
        func makeFailure(_ description: String, _ status: Failure.Status = .refused) -> Failure {
            Failure(
                description, status: status, errorName: status == .refused ? "notSaved" : nil,
                replyMembers: members)
        }
        switch saveOutcome.saved {
        case .replicated, .durable: return (reply, nil)
        case .written: break
        case .no:
            return (
                reply, makeFailure("done, but NOT SAVED: \(saveOutcome.notSavedReasonOrDefault)")
            )
        }
        let preserveReply: PreserveCall.Reply
        do {
            let application = (call as? any ApplicationCall)?.application
            preserveReply = try PreserveCall.decode(
                daemon.call(PreserveCall(application: application), isRepeatable: true))
        } catch let cause as Failure {
            let status = cause.status == .noDaemon ? .timedOut : cause.status
            return (
                reply,
                makeFailure("done and written, but not known to be durable: \(cause)", status)
            )
        }
        if preserveReply.saved == .no {
            return (
                reply,
                makeFailure(
                    "done and written, but NOT DURABLE: \(preserveReply.notSavedReasonOrDefault)")
            )
        }
        members["saved"] = .string(preserveReply.saved.rawValue)
        return (try JSONText.write(members), nil)
    }
}

extension SaveOutcome {
    /// Reason why the change is not saved, or `reason unknown` if the daemon gave no reason.
    var notSavedReasonOrDefault: String { notSavedReason ?? "reason unknown" }
}

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
        var members = try Call.members(of: reply)
        if members["saved"] == .string(SaveLevel.no.rawValue) {
            let reason = Self.reason(members["notSavedReason"])
            return (
                reply, Failure(notDurable: "done, but NOT SAVED: \(reason)", replyMembers: members)
            )
        }
        guard members["saved"] == .string(SaveLevel.written.rawValue) else { return (reply, nil) }
        let preserveReply: PreserveCall.Reply
        do {
            let application = (call as? any ApplicationCall)?.application
            preserveReply = try PreserveCall.decode(
                daemon.call(
                    PreserveCall.with { $0.application = application }, isRepeatable: true))
        } catch let failure as Failure {
            let failure = Failure(
                notDurable: "done and written, but not known to be durable: \(failure)",
                status: failure.status == .noDaemon ? .timedOut : failure.status,
                replyMembers: members)
            return (reply, failure)
        }
        if preserveReply.saved == .no {
            let reason = preserveReply.notSavedReason ?? "reason unknown"
            let failure = Failure(
                notDurable: "done and written, but NOT DURABLE: \(reason)", replyMembers: members)
            return (reply, failure)
        }
        members["saved"] = .string(preserveReply.saved.rawValue)
        return (try JSONText.write(members), nil)
    }

    private static func reason(_ member: StateJSON?) -> String {
        if case .string(let reason)? = member { reason } else { "reason unknown" }
    }
}

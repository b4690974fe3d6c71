import RepriseControl
import Varlink

extension Session {
    /// The reply to a change once it is durable: has everything made durable, if the change is only
    /// written.
    ///
    /// - Throws: ``Failure`` if it is not known to be durable; the change has happened.
    func durable(_ reply: [UInt8], of application: String?) throws -> [UInt8] {
        var members = try JSONText.decode([String: StateJSON].self, from: reply)
        guard members["saved"] == .string(SaveLevel.written.rawValue) else { return reply }
        let preserved: PreserveCall.Reply
        do {
            preserved = try PreserveCall.decode(
                daemon.call(
                    PreserveCall.with { $0.application = application }, isRepeatable: true))
        } catch let failure as Failure {
            throw Failure(
                "done and written, but not known to be durable: \(failure)", status: failure.status
            )
        }
        if preserved.saved == .no {
            let reason = preserved.notSavedReason ?? "reason unknown"
            throw Failure("done and written, but NOT DURABLE: \(reason)")
        }
        members["saved"] = .string(preserved.saved.rawValue)
        return try JSONText.encode(members)
    }
}

import RepriseControl
import Testing
import Varlink

@testable import RepriseWeb

@Suite struct SceneOperationTests {
    private static let operation = #""operation":{"client":"a","number":1}"#

    private func perform(_ method: String, _ json: String) async -> CallOutcome? {
        await SceneOperation.perform(
            method, Array(json.utf8), sockets: DaemonSockets(["/nonexistent/control"]))
    }

    @Test func `only numbered user operations are sent to the daemon`() async {
        for method in ["Quit", "Rollback", "Call", "DebugExit", "EditText", "tap", ""] {
            #expect(await perform(method, #"{"path":"a",\#(Self.operation)}"#) == nil, "\(method)")
        }
        #expect(await perform("Tap", #"{"path":"a"}"#) == nil)
        #expect(await perform("Tap", "{\(Self.operation)}") == nil)
        #expect(await perform("Tap", "") == nil)
        #expect(await perform("Tap", "[") == nil)
    }

    @Test func `the outcome of a call to a daemon that does not run is unknown`() async throws {
        let outcome = await perform("Tap", #"{"path":"a",\#(Self.operation)}"#)
        guard case .unavailable? = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
    }

    @Test func `a refusal contains the sentence and the current text`() throws {
        let outcome = CallOutcome(
            CallFailure<ControlError>.refused(.textChanged(path: "a", text: "b")))
        guard case .refused(let refusal) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(refusal.error == "TextChanged")
        #expect(refusal.text == "b")
        #expect(refusal.message.hasPrefix("The text of a has changed"))
    }

    @Test func `a call that cannot be sent is refused`() {
        let failure = CallFailure<ControlError>.connection(
            .badParameters(method: "Type", reason: "a text contains U+0000"))
        guard case .refused = CallOutcome(failure) else {
            Issue.record("\(CallOutcome(failure))")
            return
        }
    }

    @Test func `a call is repeated if the daemon is stopping or the application is not running`() {
        let errors: [ControlError] = [
            .daemonEnding, .tooManyCommands(application: "a"),
            .applicationNotRunning(application: "a"), .ownedElsewhere(application: "a"),
            .ownedElsewhere(application: "a", host: "b"),
        ]
        for error in errors {
            let outcome = CallOutcome(CallFailure<ControlError>.refused(error))
            guard case .unavailable = outcome else {
                Issue.record("\(outcome)")
                continue
            }
        }
    }

    @Test func `the page is told that an application is not running`() {
        func refusal(_ error: ControlError) -> CallOutcome.Refusal? {
            CallOutcome.Refusal(streamFailure: .refused(error))
        }
        #expect(refusal(.applicationNotRunning(application: "a"))?.message.isEmpty == false)
        #expect(refusal(.daemonEnding) == nil)
    }
}

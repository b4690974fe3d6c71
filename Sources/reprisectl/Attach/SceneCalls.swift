import Dispatch
import RepriseControl
import Synchronization
import Varlink

/// Calls that the terminal client makes for one scene.
///
/// The calls use their own connection and thread, so that the client's main loop continues to run during a call.
final class SceneCalls {
    /// Error for a call that was refused or whose outcome is unknown.
    struct CallError: Error {
        /// Sentence for the user.
        let sentence: String
        /// Error with which the daemon refused the call, or `nil` if the call failed for another reason.
        var refusal: ControlError?
    }

    /// Result of a call, set by the thread that makes the call.
    private final class PendingReply: Sendable {
        let result = Mutex<Result<[UInt8], any Error>?>(nil)
    }

    var bundleIdentifier: String?
    var sceneName: String?
    /// Host to which the client was redirected because it runs the application, as an `ssh` destination, or `nil` if
    /// the client was not redirected. The next connection is to this host.
    var ownerHost: String?
    private let waitForReply: (_ hasReply: () -> Bool) -> Bool
    private let makeConnection: () -> sending DaemonConnection
    private let wakeMainLoop: @Sendable () -> Void
    private let queue = DispatchQueue(label: "org.reprise.attach.calls")
    private var connection: DaemonConnection?
    private var client: VarlinkClient?

    /// Creates an instance without a connection. The first call opens the connection.
    ///
    /// - Parameters:
    ///   - waitForReply: Closure that waits until a condition holds. The closure returns `false` if the user has exited
    ///     the client.
    ///   - wakeMainLoop: Closure that is called when the condition may have become true.
    init(
        _ makeConnection: @escaping () -> sending DaemonConnection,
        waitForReply: @escaping (_ hasReply: () -> Bool) -> Bool,
        wakeMainLoop: @escaping @Sendable () -> Void
    ) {
        self.makeConnection = makeConnection
        self.waitForReply = waitForReply
        self.wakeMainLoop = wakeMainLoop
    }

    /// Closes the connection. The next call opens a new connection.
    func disconnect() {
        client?.disconnect()
        client = nil
        connection?.disconnect()
        connection = nil
    }

    /// Makes a call that applies to the scene.
    func make<Call: SceneCall>(_ call: Call) throws(CallError) -> Call.Reply {
        var call = call
        call.scene = sceneName
        return try make(applicationCall: call)
    }

    /// Makes a call that applies to the application.
    func make<Call: ApplicationCall>(applicationCall call: Call) throws(CallError) -> Call.Reply {
        var call = call
        call.application = bundleIdentifier
        return try make(daemonCall: call)
    }

    /// Makes a call that applies to the daemon.
    func make<Call: MethodCall>(daemonCall call: Call) throws(CallError) -> Call.Reply {
        let uncertaintyPrefix = Call.isReadOnly ? "" : "the last key may have had no effect: "
        do {
            guard let reply = try receiveReply(to: Call.qualifiedMethod, try JSONText.write(call))
            else {
                disconnect()
                throw CallError(sentence: "the client is exiting")
            }
            return try Call.decode(reply)
        } catch let error as CallError {
            throw error
        } catch let error as VarlinkError {
            let refusal = ControlError(error)
            throw CallError(sentence: refusal?.description ?? error.description, refusal: refusal)
        } catch let error as ClientError {
            disconnect()
            throw CallError(
                sentence: uncertaintyPrefix
                    + (error.isTransient ? "the daemon is not available" : "\(error)"))
        } catch {
            disconnect()
            throw CallError(sentence: "\(uncertaintyPrefix)\(error)")
        }
    }

    /// Makes a call and waits for its reply.
    ///
    /// - Returns: The reply, or `nil` if the user has exited the client.
    private func receiveReply(to method: String, _ json: [UInt8]) throws -> [UInt8]? {
        if client?.isClosed == true { disconnect() }
        // This thread creates the client, and the queue uses it for one call at a time. This thread may shut it down,
        // which is safe at any time.
        nonisolated(unsafe) let client = try client ?? makeClient()
        self.client = client
        let pendingReply = PendingReply()
        queue.async { [wakeMainLoop] in
            let result = Result { try client.call(method, json: json) }
            pendingReply.result.withLock { $0 = result }
            wakeMainLoop()
        }
        guard waitForReply({ pendingReply.result.withLock { $0 != nil } }) else { return nil }
        return try pendingReply.result.withLock { $0 }?.get()
    }

    private func makeClient() throws -> VarlinkClient {
        let connection = makeConnection()
        self.connection = connection
        connection.switchHost(to: ownerHost)
        return try connection.connect()
    }

    /// Performs an operation that the user has requested with a key.
    ///
    /// - Parameters:
    ///   - drawnSize: Size of the object on the screen, or `nil` if the operation does not depend on the size.
    ///   - discardsChanges: Whether the operation discards unsaved changes. If `false`, an operation that would discard
    ///     changes is refused with ``ControlError/unsavedChanges(path:method:)``.
    func perform(
        _ operation: AttachedScene.Operation, drawnSize: DrawnSize? = nil,
        discardsChanges: Bool = false
    ) throws(CallError) -> any SaveOutcome {
        let keepChanges: Bool? = discardsChanges ? nil : true
        switch operation {
        case .insert(let text, let path):
            return try make(EditTextCall.with { ($0.path, $0.text) = (path, text) })
        case .edit(let action, let extends, let path):
            return try make(
                EditTextCall.with {
                    ($0.path, $0.action, $0.drawn) = (path, action, drawnSize)
                    if extends { $0.extend = true }
                })
        case .tap(let path, let row):
            return try make(TapCall.with { ($0.path, $0.row) = (path, row) })
        case .choose(let path, let index):
            return try make(SelectCall.with { ($0.path, $0.indexes) = (path, [index]) })
        case .scroll(let path, let x, let y):
            return try make(
                ScrollCall.with { ($0.path, $0.x, $0.y, $0.drawn) = (path, x, y, drawnSize) })
        case .zoom(let path, let scale):
            return try make(ZoomCall.with { ($0.path, $0.scale) = (path, scale) })
        case .load(let path, let address):
            return try make(LoadCall.with { ($0.path, $0.url) = (path, address) })
        case .setEditing(let path, let isOn):
            return try make(EditCall.with { ($0.path, $0.on) = (path, isOn) })
        case .move(let path, let from, let to):
            return try make(MoveCall.with { ($0.path, $0.from, $0.to) = (path, from, to) })
        case .delete(let path, let row):
            return try make(DeleteCall.with { ($0.path, $0.row) = (path, row) })
        case .undoDelete(let path): return try make(UndoDeleteCall.with { $0.path = path })
        case .back(let path):
            return try make(BackCall.with { ($0.path, $0.keepChanges) = (path, keepChanges) })
        case .forward(let path): return try make(ForwardCall.with { $0.path = path })
        case .dismissOrGoBack: return try dismissOrGoBack(keepChanges: keepChanges)
        }
    }

    /// Dismisses the topmost presented controller. If no controller is presented, goes back.
    private func dismissOrGoBack(keepChanges: Bool?) throws(CallError) -> any SaveOutcome {
        do {
            return try make(DismissCall.with { $0.keepChanges = keepChanges })
        } catch {
            guard case .notPossible? = error.refusal else { throw error }
        }
        do {
            return try make(BackCall.with { $0.keepChanges = keepChanges })
        } catch {
            guard case .notPossible? = error.refusal else { throw error }
            throw CallError(
                sentence: "there is nothing to close or go back to; press Ctrl-C to exit",
                refusal: error.refusal)
        }
    }
}

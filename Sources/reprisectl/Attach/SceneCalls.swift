import RepriseControl
import Varlink

/// What a terminal client asks of the daemon beside following: calls about one scene, over a connection of
/// their own.
final class SceneCalls {
    /// A call that was not carried out, or of which that is not known.
    struct Failed: Error {
        /// A sentence.
        let sentence: String
        /// What the daemon refused it with; nil: it does not answer.
        var refusal: ControlError?
    }

    /// How long an answer is waited for.
    static let patience = Duration.seconds(5)

    var application: String?
    var scene: String?
    private let daemon: DaemonConnection
    private var client: VarlinkClient?

    init(_ daemon: sending DaemonConnection) { self.daemon = daemon }

    /// Another connection is made for the next call.
    func disconnect() { client = nil }

    /// Makes a call about the scene.
    func make<Call: SceneCall>(_ call: Call) throws(Failed) -> Call.Reply {
        var call = call
        call.scene = scene
        return try make(ofApplication: call)
    }

    /// Makes a call about the application.
    func make<Call: ApplicationCall>(ofApplication call: Call) throws(Failed) -> Call.Reply {
        var call = call
        call.application = application
        return try make(ofDaemon: call)
    }

    /// Makes a call about no application.
    func make<Call: ControlCall>(ofDaemon call: Call) throws(Failed) -> Call.Reply {
        let doubt = Call.isLooking ? "" : "the key may not have been taken: "
        do {
            if client?.isOver == true { client = nil }
            let client = try client ?? daemon.connect()
            self.client = client
            return try Call.decode(
                client.call(
                    Call.qualifiedMethod, json: try JSONText.encode(call), within: Self.patience))
        } catch let error as VarlinkError {
            let refusal = ControlError(error)
            throw Failed(sentence: refusal?.description ?? error.description, refusal: refusal)
        } catch let error as ClientError {
            client = nil
            if case .timedOut = error {
                throw Failed(sentence: "\(doubt)the daemon does not answer")
            }
            throw Failed(sentence: doubt + (error.mayPass ? "there is no daemon" : "\(error)"))
        } catch {
            client = nil
            throw Failed(sentence: "\(doubt)\(error)")
        }
    }

    /// Does what a key is for.
    func carryOut(_ operation: AttachedScene.Operation) throws(Failed) -> SavedReply {
        switch operation {
        case .insert(let text, let path):
            return try make(EditTextCall.with { ($0.path, $0.text) = (path, text) })
        case .edit(let action, let extends, let path):
            return try make(
                EditTextCall.with {
                    ($0.path, $0.action) = (path, action)
                    if extends { $0.extend = true }
                })
        case .tap(let path, let row):
            return try make(TapCall.with { ($0.path, $0.row) = (path, row) })
        case .choose(let path, let index):
            return try make(SelectCall.with { ($0.path, $0.indexes) = (path, [index]) })
        case .scroll(let path, let x, let y):
            return try make(ScrollCall.with { ($0.path, $0.x, $0.y) = (path, x, y) })
        case .zoom(let path, let scale):
            return try make(ZoomCall.with { ($0.path, $0.scale) = (path, scale) })
        case .load(let path, let address):
            return try make(LoadCall.with { ($0.path, $0.url) = (path, address) })
        case .changeEditing(let path, let isOn):
            return try make(EditCall.with { ($0.path, $0.on) = (path, isOn) })
        case .move(let path, let from, let to):
            return try make(MoveCall.with { ($0.path, $0.from, $0.to) = (path, from, to) })
        case .delete(let path, let row):
            return try make(DeleteCall.with { ($0.path, $0.row) = (path, row) })
        case .back(let path): return try make(BackCall.with { $0.path = path })
        case .forward(let path): return try make(ForwardCall.with { $0.path = path })
        case .leave:
            do {
                return try make(DismissCall())
            } catch {
                guard case .notPossible? = error.refusal else { throw error }
            }
            return try make(BackCall())
        }
    }
}

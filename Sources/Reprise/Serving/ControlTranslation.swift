import FoundationEssentials
import Preservation
import RepriseControl
import StateRestoration

// What the applications tell, as the interface `org.reprise.Control` says it.

extension SavedReply {
    /// - Parameter reply: of a command that tells why what it changed is not preserved.
    init(_ reply: Reply<String?>) {
        if let omission = reply.result {
            self.init(saved: .no, notSavedReason: omission)
        } else {
            self.init(reply.saved)
        }
    }

    init(_ saved: Saved) {
        switch saved {
        case .durable: self.init(saved: .durable)
        case .written: self.init(saved: .written)
        case .no(let reason): self.init(saved: .no, notSavedReason: reason)
        }
    }
}

extension ApplicationDescription {
    init(_ status: ApplicationStatus) {
        let saved = SavedReply(status.saved)
        var phase = Phase.stopped
        var failure: String?
        switch status.phase {
        case .stopped: break
        case .launching: phase = .launching
        case .running: phase = .running
        case .failed(let reason):
            phase = .failed
            failure = reason
        }
        self.init(
            bundleIdentifier: status.bundleIdentifier, bundleVersion: status.bundleVersion,
            phase: phase, failure: failure, scenes: status.scenes.map(SceneDescription.init),
            saved: saved.saved, notSavedReason: saved.notSavedReason,
            notDurableWrites: status.notDurableWrites,
            notDurableSince: status.notDurableSince.map(Self.timeOfDay),
            lastPass: status.lastPass.map(Self.timeOfDay), lastError: status.lastError)
    }

    private static func timeOfDay(_ microseconds: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
        return date.formatted(Date.ISO8601FormatStyle())
    }
}

extension ControlError {
    init(_ error: ApplicationError) {
        switch error {
        case .notRunning(let application):
            self = .applicationNotRunning(application: application)
        case .failed(let application, let reason):
            self = .applicationFailed(application: application, reason: reason)
        case .noSuchScene(let application, let scene, _):
            self = .noSuchScene(application: application, scene: scene)
        case .tooManyCommands(let application, _):
            self = .tooManyCommands(application: application)
        case .alreadyRunning(let application):
            self = .applicationRunning(application: application)
        case .ending(let application):
            self = .applicationFailed(application: application, reason: "the daemon is ending")
        case .sceneExists(let application, let scene):
            self = .sceneExists(application: application, scene: scene)
        case .invalidSceneName(let application, let scene, let reason):
            self = .invalidSceneName(application: application, scene: scene, reason: reason)
        case .sceneFailed(let application, let scene, let reason):
            self = .sceneFailed(application: application, scene: scene, reason: reason)
        case .sceneNotLaunched(let application, let scene):
            self = .sceneNotLaunched(application: application, scene: scene)
        case .sceneNotSaved(let application, let scene, let reason):
            self = .sceneNotSaved(application: application, scene: scene, reason: reason)
        case .stateNotRemoved(let application, let reason):
            self = .stateNotRemoved(application: application, reason: reason)
        }
    }
}

extension StateJSON {
    init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .unsigned(let value): self = .string("\(value)")
        case .double(let value): self = value.isFinite ? .double(value) : .string("\(value)")
        case .string(let value): self = .string(value)
        case .data(let bytes): self = .string(Data(bytes).base64EncodedString())
        case .date(let seconds):
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            self = .string(date.formatted(Date.ISO8601FormatStyle()))
        case .url(let text): self = .string(text)
        case .uuid(let bytes):
            let digits = bytes.map { (byte: UInt8) in
                (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
            let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
            self = .string(groups.map { digits[$0].joined() }.joined(separator: "-"))
        case .indexPath(let indexes): self = .array(indexes.map { .integer(Int64($0)) })
        case .range(let range):
            self = .object([
                "lowerBound": .integer(Int64(range.lowerBound)),
                "upperBound": .integer(Int64(range.upperBound)),
            ])
        case .closedRange(let range):
            self = .object([
                "first": .integer(Int64(range.lowerBound)),
                "last": .integer(Int64(range.upperBound)),
            ])
        case .array(let values): self = .array(values.map(StateJSON.init))
        case .dictionary(let values): self = .object(values.mapValues(StateJSON.init))
        case .codable(let text):
            let decoder = JSONDecoder()
            // What is no JSON is shown as the text that it is.
            self = (try? decoder.decode(StateJSON.self, from: Data(text.utf8))) ?? .string(text)
        case .reference(let path):
            self = .object(["reference": path.map { .string($0.description) } ?? .null])
        }
    }
}

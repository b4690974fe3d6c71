import ExactText
import Preservation
import RepriseControl

extension PendingEvent {
    /// The event in the form that clients receive.
    var clientEvent: Event {
        var event = Event()
        event.time = rfc3339String(time)
        event.kind = subject.kind
        event.application = subject.application
        event.scene = subject.scene
        event.path = subject.path
        event.generation = generation
        event.message = message
        var completeValues: [String: StateJSON] = [:]
        var largeValueSizes: [String: Int] = [:]
        var removedKeys: [String] = []
        for (key, change) in values {
            switch change {
            case .value(let value): completeValues[key] = StateJSON(value)
            case .large(let bytes): largeValueSizes[key] = bytes
            case .removed: removedKeys.append(key)
            }
        }
        event.values = completeValues.isEmpty ? nil : completeValues
        event.large = largeValueSizes.isEmpty ? nil : largeValueSizes
        event.removed = removedKeys.isEmpty ? nil : removedKeys.sorted()
        return event
    }
}

extension EventKind {
    /// Creates the kind that has the same name as an application event's kind.
    init(_ kind: ApplicationEvent.Kind) {
        self =
            switch kind {
            case .launched: .launched
            case .restored: .restored
            case .notRestored: .notRestored
            case .closed: .closed
            case .ended: .ended
            case .exchanged: .exchanged
            case .appeared: .appeared
            case .changed: .changed
            case .disappeared: .disappeared
            case .manyChanged: .manyChanged
            case .pass: .pass
            case .durable: .durable
            case .generation: .generation
            case .fileChanged: .fileChanged
            case .quarantined: .quarantined
            case .salvaged: .salvaged
            case .problem: .problem
            case .resumed: .resumed
            }
    }
}

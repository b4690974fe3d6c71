import ControllerKit
import ExactText
import Preservation
import StateRestoration

/// Observer that checks whether a command's change to an object is preserved.
///
/// The observer is created before the command runs. After the pass in the command's turn, it checks whether a record or
/// the model contains the change (P21).
final class ChangePersistenceObserver {
    private let target: CommandTarget
    private let stateOwner: CommandTarget.StateOwner
    private var fingerprints: FingerprintComparison
    private let window: Window?
    private let previouslyShownControllers: [ViewController]
    private let valuesBefore: [String: StoredValue]?

    /// Creates an observer.
    ///
    /// Create the observer before the command runs.
    init(_ target: CommandTarget, of stateOwner: CommandTarget.StateOwner) {
        self.target = target
        self.stateOwner = stateOwner
        fingerprints = FingerprintComparison(target.scene, target.stateOwnerCandidates)
        window = (target.scene.delegate as? any ApplicationDelegate)?.window
        previouslyShownControllers = window?.shownViewControllers ?? []
        valuesBefore = Self.state(of: target, stateOwner)
    }

    /// Returns the function that checks, after the pass, whether the change is preserved.
    ///
    /// Call this method after the command has run.
    func makeCheck() -> PersistenceCheck {
        let isAnythingInvalidated = fingerprints.addMarkedNodes()
        let hasChanged = hasChanged(isAnythingInvalidated: isAnythingInvalidated)
        let newlyShownControllers = (window?.shownViewControllers ?? []).filter { controller in
            !previouslyShownControllers.contains { $0 === controller }
        }
        return { [self] outcome in
            omissionReason(hasChanged: hasChanged, outcome)
                ?? newlyShownControllers.lazy.compactMap(omissionReason(ofNewlyShown:)).first
        }
    }

    private func omissionReason(hasChanged: Bool, _ outcome: PassOutcome) -> String? {
        let ignoredObject = stateOwner == .text && !target.preservesText ? target.object : nil
        let isRecorded = fingerprints.hasChanges(
            excluding: ignoredObject, ignoresMarkedObjects: stateOwner == .text)
        let loss = outcome.losses.first { loss in
            (loss.isNew || !isRecorded)
                && fingerprints.covers(
                    loss.diagnostic.incompletelySavedPath ?? "",
                    only: isOwnerRecorded ? recordedObject : nil)
        }
        if let loss { return "\(loss.diagnostic)" }
        if isTextSecret { return changeLossReason }
        if isOwnerRecorded || !hasChanged || isRecorded || outcome.isModelChanged { return nil }
        let isTextRecorded =
            stateOwner == .text
            && target.isTextEncodedByStateOwner {
                StateInspection(target.scene).record(of: $0, contains: $1)
            }
        return isTextRecorded ? nil : changeLossReason
    }

    // MARK: Changes

    /// Returns the object's state, which is compared before and after the command, or `nil` if no comparison is needed.
    private static func state(
        of target: CommandTarget, _ stateOwner: CommandTarget.StateOwner
    ) -> [String: StoredValue]? {
        switch stateOwner {
        // An object with a record needs no comparison, because its record contains all of its state.
        case .object where target.omissionReason(includingObject: true) == nil: nil
        case .object, .controller: target.values(of: target.object)
        case .text, .model: nil
        }
    }

    private func hasChanged(isAnythingInvalidated: Bool) -> Bool {
        if stateOwner == .model { return isAnythingInvalidated }
        guard let valuesBefore, let valuesAfter = Self.state(of: target, stateOwner) else {
            return true
        }
        return valuesBefore != valuesAfter
    }

    // MARK: Preservation

    /// Whether the owner of the changed state is saved in a record.
    private var isOwnerRecorded: Bool {
        switch stateOwner {
        case .object: target.omissionReason(includingObject: true) == nil
        case .text: target.preservesText && target.omissionReason(includingObject: true) == nil
        // If a control has no value, only its actions can change anything.
        case .controller: target.omissionReason(includingObject: valuesBefore != nil) == nil
        case .model: false
        }
    }

    /// Object whose record contains the change, if the change is preserved.
    private var recordedObject: any StateRestoring {
        stateOwner == .controller && valuesBefore == nil
            ? target.stateOwnerCandidates.dropFirst().first ?? target.object : target.object
    }

    private var isTextSecret: Bool { stateOwner == .text && target.object is SecureTextField }

    private var changeLossReason: String {
        let path = target.entry.address
        switch stateOwner {
        case .object, .controller:
            return target.omissionReason(
                includingObject: stateOwner == .object || valuesBefore != nil)
                ?? "\(path) is not preserved"
        case .model:
            return "no record and no model data contain the change in \(path): store its rows in "
                + "the model, or let a controller encode them"
        case .text:
            if isTextSecret { return "the text of \(path) is secret and never saved" }
            return target.omissionReason(includingObject: target.preservesText)
                ?? target.textLossSentence
        }
    }

    /// Returns the reason why a newly shown controller is not preserved, or `nil` if it is preserved.
    private func omissionReason(ofNewlyShown controller: ViewController) -> String? {
        if controller.restoration.record.exists { return nil }
        return TreeSurvey(target.scene).entries().first { $0.object === controller }?.lossReason
    }
}

extension CommandTarget {
    /// Whether the object's record contains its text.
    var preservesText: Bool { (object as? any RestorableTextInput)?.preservesText == true }

    /// Returns whether a controller or registered object above the object encodes the object's current text.
    ///
    /// The text may be unchanged since the last record.
    ///
    /// - Parameter encodes: A closure that returns whether an object encodes a value that satisfies a predicate, or
    ///   whether the object's record contains such a value.
    func isTextEncodedByStateOwner(
        _ encodes: (any StateRestoring, _ predicate: (StoredValue) -> Bool) -> Bool
    ) -> Bool {
        guard let text = (object as? any RestorableTextInput)?.text else { return false }
        return omissionReason(includingObject: false) == nil
            && stateOwnerCandidates.contains { stateOwner in
                stateOwner !== object && encodes(stateOwner) { $0.containsString(text) }
            }
    }

    /// Reason why a restart would lose the object's text, with a remedy.
    ///
    /// The value is `nil` if the text is saved, empty or secret.
    var textLossReason: String? {
        guard let textObject = object as? any RestorableTextInput, !textObject.text.isEmpty,
            !(object is SecureTextField), object is any TextInput, !preservesText,
            !isTextEncodedByStateOwner({ values(of: $0)?.values.contains(where: $1) == true })
        else { return nil }
        return textLossSentence
    }

    /// Sentence that explains why unrecorded text is lost, with a remedy.
    var textLossSentence: String {
        if let editor = stateOwnerCandidates.compactMap({ $0 as? ViewController }).first(
            where: \.isModalInPresentation)
        {
            let name = TreeSurvey(scene).entries().first { $0.object === editor }?.address
            return "the text of \(entry.address) is an unsaved change of model data: save it in "
                + "\(name ?? "\(type(of: editor))"), which writes the model"
        }
        return
            "no record contains the text of \(entry.address): set preservesText: true for it in the storyboard and "
            + "run `reprisectl reload`, or let its controller encode it"
    }

    /// Returns the values that an object encodes, or `nil` if it encodes none or encoding fails.
    func values(of object: any StateRestoring) -> [String: StoredValue]? {
        let passMetadata = PassMetadata(bundleVersion: "", timestamp: 0, systemVersion: "")
        do {
            let values = try StateInspection(scene).values(of: object, passMetadata: passMetadata)
                .filter { !$0.key.hasPrefix("@") }
            return values.isEmpty ? nil : values
        } catch {
            return nil
        }
    }
}

extension StoredValue {
    /// Returns whether the value contains the text as a complete string.
    fileprivate func containsString(_ text: String) -> Bool {
        switch self {
        case .string(let ownText): ownText == text
        case .codable(let ownText): ownText.contains(StoredValue.quoted(text))
        case .array(let values): values.contains { $0.containsString(text) }
        case .dictionary(let values): values.values.contains { $0.containsString(text) }
        default: false
        }
    }

    /// Returns the text as it appears in the JSON of a `Codable` value, or the text itself if it cannot be encoded.
    private static func quoted(_ text: String) -> String {
        do {
            return String(decoding: try CodableJSON.encode(text), as: UTF8.self)
        } catch {
            return text
        }
    }
}

import ControllerKit
import ExactText
import Preservation
import StateRestoration

/// Observation of a command that changes an object, to check whether the change is preserved.
///
/// The observation starts before the command runs. After the pass of the command's turn, it checks whether a record
/// or the model contains the change (P21).
struct ObservedChange {
    private let target: CommandTarget
    private let holder: CommandTarget.Holder
    private let fingerprints: RecordFingerprints
    private let window: Window?
    private let shown: [ViewController]
    private let before: [String: StoredValue]?

    /// Creates an observation. Call it before the command runs.
    init(_ target: CommandTarget, of holder: CommandTarget.Holder) {
        self.target = target
        self.holder = holder
        fingerprints = RecordFingerprints(target.scene, target.holders)
        window = (target.scene.delegate as? any ApplicationDelegate)?.window
        shown = window?.shownViewControllers ?? []
        before = Self.state(of: target, holder)
    }

    /// Returns the function that checks after the pass whether the change is preserved. Call this method after the
    /// command has run.
    func check() -> PersistenceCheck {
        var fingerprints = fingerprints
        let isAnythingMarked = fingerprints.addMarked()
        let hasChanged = hasChanged(isAnythingMarked: isAnythingMarked)
        let coming = (window?.shownViewControllers ?? []).filter { controller in
            !shown.contains { $0 === controller }
        }
        return { outcome in
            omission(hasChanged: hasChanged, fingerprints, outcome)
                ?? coming.lazy.compactMap(omission(ofComing:)).first
        }
    }

    private func omission(
        hasChanged: Bool, _ fingerprints: RecordFingerprints, _ outcome: PassOutcome
    ) -> String? {
        let uncounted = holder == .text && !preservesText ? target.object : nil
        let isRecorded = fingerprints.isAnythingChanged(but: uncounted, isOwn: holder == .text)
        let loss = outcome.losses.first { loss in
            (loss.isNew || !isRecorded)
                && fingerprints.covers(loss.diagnostic.lossPath ?? "", alone: isKept ? keeper : nil)
        }
        if let loss { return "\(loss.diagnostic)" }
        if isSecret { return reason }
        if isKept || !hasChanged || isRecorded || outcome.isModelChanged { return nil }
        return isTextHeld(after: outcome) ? nil : reason
    }

    // MARK: Changes

    /// Returns the visible state of the object, or `nil` if the check does not need to compare it.
    private static func state(
        of target: CommandTarget, _ holder: CommandTarget.Holder
    ) -> [String: StoredValue]? {
        switch holder {
        // An object with a record is not compared, because its record contains all of its state.
        case .object where target.omission(isOwn: true) == nil: nil
        case .object, .controller: target.values(of: target.object)
        case .text, .model: nil
        }
    }

    private func hasChanged(isAnythingMarked: Bool) -> Bool {
        if holder == .model { return isAnythingMarked }
        guard let before, let after = Self.state(of: target, holder) else { return true }
        return before != after
    }

    // MARK: Preservation

    /// Whether a record contains the state of the object that holds the change.
    private var isKept: Bool {
        switch holder {
        case .object: target.omission(isOwn: true) == nil
        case .text: preservesText && target.omission(isOwn: true) == nil
        // If a control has no value, only its actions change anything.
        case .controller: target.omission(isOwn: before != nil) == nil
        case .model: false
        }
    }

    /// Object whose record contains the change if the change is preserved.
    private var keeper: any StateRestoring {
        holder == .controller && before == nil
            ? target.holders.dropFirst().first ?? target.object : target.object
    }

    private var preservesText: Bool { target.preservesText }

    private func isTextHeld(after outcome: PassOutcome) -> Bool {
        holder == .text
            && target.isTextHeld { outcome.encoded.values(of: $0, target.valueList(of:)) }
    }

    private var isSecret: Bool { holder == .text && target.object is SecureTextField }

    private var reason: String {
        let path = target.entry.address
        switch holder {
        case .object, .controller:
            return target.omission(isOwn: holder == .object || before != nil)
                ?? "\(path) is not preserved"
        case .model:
            return "no record and no model data contain the change in \(path): store its rows in "
                + "the model, or let a controller encode them"
        case .text:
            if isSecret { return "the text of \(path) is secret and never saved" }
            return target.omission(isOwn: preservesText) ?? target.textLossSentence
        }
    }

    /// Returns the reason why a controller that the command showed is not preserved, or `nil` if it is preserved.
    private func omission(ofComing controller: ViewController) -> String? {
        if controller.restoration.record.exists { return nil }
        return TreeSurvey(target.scene).entries().first { $0.object === controller }?.loss
    }
}

extension CommandTarget {
    /// Whether the record of the object contains its text.
    var preservesText: Bool { (object as? any TextHolding)?.preservesText == true }

    /// Returns whether a controller above the object encodes the object's current text. This text may equal the text in
    /// the last record.
    ///
    /// - Parameter values: Closure that returns the values that an object encodes.
    func isTextHeld(_ values: (any StateRestoring) -> [StoredValue]) -> Bool {
        guard let text = (object as? any TextHolding)?.text else { return false }
        return omission(isOwn: false) == nil
            && holders.contains { holder in
                holder !== object
                    && values(holder).contains { $0.holds(text) }
            }
    }

    /// Reason why a restart loses the text of the object, with a remedy.
    ///
    /// The value is `nil` if the text is saved, empty or secret.
    var textLoss: String? {
        guard let holding = object as? any TextHolding, !holding.text.isEmpty,
            !(object is SecureTextField), object is any TextInput, !preservesText,
            !isTextHeld(valueList(of:))
        else { return nil }
        return textLossSentence
    }

    /// Sentence about text that no record contains.
    var textLossSentence: String {
        if let editor = holders.compactMap({ $0 as? ViewController }).first(
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

    /// Returns the values that an object encodes, without their keys.
    func valueList(of object: any StateRestoring) -> [StoredValue] {
        guard let values = values(of: object) else { return [] }
        return Array(values.values)
    }

    /// Returns the values that an object encodes, or `nil` if it encodes no values or encoding fails.
    func values(of object: any StateRestoring) -> [String: StoredValue]? {
        let stamp = PassStamp(bundleVersion: "", timestamp: 0, systemVersion: "")
        do {
            let values = try StateInspection(scene).values(of: object, stamp: stamp)
                .filter { !$0.key.hasPrefix("@") }
            return values.isEmpty ? nil : values
        } catch {
            return nil
        }
    }
}

extension StoredValue {
    /// Returns whether the value contains this text as a complete string.
    fileprivate func holds(_ text: String) -> Bool {
        switch self {
        case .string(let own): own == text
        case .codable(let own): own.contains(StoredValue.quoted(text))
        case .array(let values): values.contains { $0.holds(text) }
        case .dictionary(let values): values.values.contains { $0.holds(text) }
        default: false
        }
    }

    /// Returns the text as it appears in the JSON of a `Codable` value, or the text itself if it cannot be encoded.
    private static func quoted(_ text: String) -> String {
        do {
            return String(decoding: try CodableText.encode(text), as: UTF8.self)
        } catch {
            return text
        }
    }
}

import ControllerKit
import ExactText
import RepriseControl
import StateRestoration
import Varlink

/// Rendering of a scene for a terminal client.
struct SceneDrawing: Sendable, Equatable {
    /// Size for which a scene is rendered.
    struct Size: Sendable, Hashable {
        let columns: Int
        /// Number of lines that views with scrollable content fill, or `nil` to render each view at its own size.
        var lines: Int?
    }

    /// Name of the scene.
    let scene: String
    /// Reason why the scene was launched (R2).
    let launchReason: String
    /// Lines of text, from top to bottom.
    let lines: [DrawnLine]
    /// Elements that a user can point at, with inner elements before outer elements.
    let elements: [DrawnElement]

    /// Returns the reply to a client that has an earlier drawing.
    ///
    /// If `earlierDrawing` is `nil`, the reply contains the complete drawing.
    func changes(since earlierDrawing: SceneDrawing?) -> AttachCall.Reply {
        .with { reply in
            let earlierLines = earlierDrawing?.lines ?? []
            reply.height = lines.count
            reply.lines = lines.filter { line in
                !earlierLines.indices.contains(line.number) || earlierLines[line.number] != line
            }
            if elements != earlierDrawing?.elements { reply.elements = elements }
            if launchReason != earlierDrawing?.launchReason { reply.launchReason = launchReason }
        }
    }
}

extension SceneCommandRunner {
    /// Renders the scene at the given size.
    func drawing(size: SceneDrawing.Size) -> SceneDrawing {
        let canvas = (window ?? Window()).render(columns: size.columns, lines: size.lines)
        var lines = canvas.lines.enumerated().map { number, text in
            DrawnLine(number: number, text: text, spans: [])
        }
        for part in canvas.parts {
            guard let role = DrawnRole(part.role) else { continue }
            for line in part.lines {
                lines[line].spans.append(
                    DrawnSpan(
                        role: role, column: part.columns.lowerBound, columns: part.columns.count))
            }
        }
        return SceneDrawing(
            scene: scene.name.text, launchReason: scene.launchReason.rawValue, lines: lines,
            elements: elements(of: canvas.parts))
    }

    private func elements(of parts: [DrawnPart]) -> [DrawnElement] {
        let ownerIDs = Set(parts.compactMap(\.owner))
        var entries: [ObjectIdentifier: TreeSurvey.Entry] = [:]
        for entry in survey.entries() where ownerIDs.contains(ObjectIdentifier(entry.object)) {
            entries[ObjectIdentifier(entry.object)] = entry
        }
        return parts.compactMap { part in
            guard let entry = part.owner.flatMap({ entries[$0] }),
                let kind = DrawnKind(part.role, of: entry.object)
            else { return nil }
            return .with {
                $0.path = entry.address
                $0.kind = kind
                $0.enabled = Self.isEnabled(entry.object)
                if case .element(let index, let isSelected) = part.role {
                    $0.index = index
                    $0.chosen = isSelected
                }
                if kind == .list {
                    $0.editing = (entry.object as? any Editable)?.isEditing
                    $0.rows = (entry.object as? ListView)?.numberOfElements
                    if (entry.object as? ListView)?.canUndoDeletion == true { $0.undoable = true }
                }
                if kind == .scroll || kind == .page || kind == .text {
                    $0.view = DrawnPlace(of: entry.object, origin: part.visibleOrigin)
                }
                $0.line = part.lines.lowerBound
                $0.lines = part.lines.count
                $0.column = part.columns.lowerBound
                $0.columns = part.columns.count
            }
        }
    }

    private static func isEnabled(_ object: any StateRestoring) -> Bool {
        (object as? Control)?.isEnabled ?? true
    }
}

extension DrawnPlace {
    /// Creates the scroll position and zoom scale of an object.
    ///
    /// - Parameter origin: The point in the upper-left corner of the drawing, or `nil` if the visible point does not
    ///   depend on the drawing.
    fileprivate init(of object: any StateRestoring, origin: Point?) {
        self.init(x: 0, y: 0, scale: 1, step: 1)
        if let origin = origin ?? (object as? any Scrollable)?.visibleOrigin {
            (x, y) = (origin.x, origin.y)
        }
        if let view = object as? any Zoomable { scale = view.zoomScale }
        // A terminal does not enlarge text. At a higher zoom scale, it shows less text.
        if let view = object as? ScrollView { step = view.zoomScale }
    }
}

extension DrawnRole {
    /// Creates the role of a part, or returns `nil` if terminals display the part without a role.
    fileprivate init?(_ role: DrawnPart.Role) {
        switch role {
        case .bar: self = .bar
        case .caret: self = .caret
        case .selection: self = .selection
        case .visibleRange: self = .position
        case .view, .element, .backButton: return nil
        }
    }
}

extension DrawnKind {
    /// Creates the kind of interaction that part of a drawing offers, or returns `nil` if the part is not interactive.
    fileprivate init?(_ role: DrawnPart.Role, of object: any StateRestoring) {
        switch (role, object) {
        case (.backButton, _): self = .back
        case (.element, is any ListInteracting): self = .row
        case (.element, is any ElementSelecting): self = .choice
        case (.view, is any Tappable): self = .button
        case (.view, let text as TextView): self = text.isEditable ? .text : .scroll
        case (.view, is Slider): self = .value
        case (.view, is any TextInput): self = .field
        case (.view, is any ListInteracting): self = .list
        case (.view, is any WebNavigating): self = .page
        case (.view, is any Scrollable): self = .scroll
        default: return nil
        }
    }
}

import ControllerKit
import ExactText
import RepriseControl
import StateRestoration
import Varlink

/// Description of a scene as elements that have roles.
struct SceneElements: Sendable, Equatable {
    /// Maximum number of rows that a call may request for each list, and the default number.
    static let rowLimits = (maximum: 1000, initial: 100)

    /// Name of the scene.
    let scene: String
    /// Elements, with parents before their children.
    let elements: [Element]
    /// Number of the client's last operation, or `nil` if the number is not known.
    let lastOperationNumber: Int?

    /// Returns the reply to a client that has an earlier description.
    ///
    /// If `earlierDescription` is `nil`, the reply contains the complete description.
    func changes(since earlierDescription: SceneElements?) -> DescribeCall.Reply {
        var earlierElements: [ExactString: Element] = [:]
        for element in earlierDescription?.elements ?? [] {
            earlierElements[ExactString(element.key)] = element
        }
        var changedElements: [Element] = []
        for element in elements {
            let earlierElement = earlierElements.removeValue(forKey: ExactString(element.key))
            if element != earlierElement { changedElements.append(element) }
        }
        return .with {
            $0.root = elements.first?.key ?? ""
            $0.elements = changedElements
            $0.removed = earlierElements.keys.map(\.text).sorted()
            $0.performed = lastOperationNumber
        }
    }
}

extension SceneCommandRunner {
    /// Returns a description of the scene's contents.
    ///
    /// - Parameter client: The client whose last operation is part of the description, or `nil` if there is none.
    func elements(maximumRows: Int, client: String?) -> SceneElements {
        let root =
            window?.accessibilityElement(maximumRows: maximumRows) ?? AccessibilityElement(.group)
        var list = ElementList(survey)
        list.append(root, below: "", ordinal: 0)
        return SceneElements(
            scene: scene.name.text, elements: list.elements,
            lastOperationNumber: client.flatMap(scene.lastOperationNumbers.lastOperationNumber))
    }
}

/// Elements of a scene, with their keys and paths.
private struct ElementList {
    private var addresses: [ObjectIdentifier: String] = [:]
    /// Number of elements added so far for each base key.
    ///
    /// A base key is an element's key without the number that distinguishes elements with the same target, role and
    /// index.
    private var elementCountsByBaseKey: [ExactString: Int] = [:]
    /// Elements, with parents before their children.
    private(set) var elements: [Element] = []

    init(_ survey: TreeSurvey) {
        for entry in survey.entries() {
            addresses[ObjectIdentifier(entry.object)] = entry.address
        }
    }

    /// Adds an element and the elements inside it.
    ///
    /// - Parameters:
    ///   - parentKey: The key of the parent element, or an empty string for the root.
    ///   - ordinal: The index of the element in its parent.
    /// - Returns: The key of the element.
    @discardableResult
    mutating func append(
        _ description: AccessibilityElement, below parentKey: String, ordinal: Int
    ) -> String {
        let path = description.target.flatMap { addresses[ObjectIdentifier($0)] }
        let key = makeKey(description, path, below: parentKey, ordinal: ordinal)
        let index = elements.count
        elements.append(Element(description, key: key, path: path))
        var childKeys: [String] = []
        for (ordinal, child) in description.children.enumerated() {
            childKeys.append(append(child, below: key, ordinal: ordinal))
        }
        elements[index].children = childKeys
        return key
    }

    /// Returns a key that remains the same as long as the element has the same target, role and index.
    ///
    /// The components of a path are not empty, so a path never contains two consecutive slashes.
    private mutating func makeKey(
        _ description: AccessibilityElement, _ path: String?, below parentKey: String, ordinal: Int
    ) -> String {
        var key = "\(path ?? parentKey)//\(description.role.rawValue)"
        if let index = description.index {
            key += "/\(index)"
        } else if path == nil {
            key += "/\(ordinal)"
        }
        let count = elementCountsByBaseKey[ExactString(key), default: 0]
        elementCountsByBaseKey[ExactString(key)] = count + 1
        return count == 0 ? key : "\(key)'\(count)"
    }
}

extension Element {
    /// Creates an element without children.
    fileprivate init(_ description: AccessibilityElement, key: String, path: String?) {
        self.init()
        self.key = key
        self.path = path
        role = ElementRole(rawValue: description.role.rawValue) ?? .text
        index = description.index
        label = description.label.truncatedForClient
        placeholder = description.placeholder?.truncatedForClient
        enabled = description.isEnabled
        selected = description.isSelected
        // An object without a path cannot be operated.
        actions =
            path == nil && role != .dialog
            ? [] : description.actions.compactMap { ElementAction(rawValue: $0.rawValue) }
        (number, minimum, maximum) = (
            description.number?.value, description.number?.minimum, description.number?.maximum
        )
        (x, y) = (description.visibleOrigin?.x, description.visibleOrigin?.y)
        count = description.list?.count
        first = description.list?.firstIndex
        editing = description.list?.isEditing
        setText(description)
    }

    private mutating func setText(_ description: AccessibilityElement) {
        var isComplete = true
        if description.text?.isSecret != true, let text = description.value {
            isComplete = text.utf8.count <= AccessibilityElement.maximumValueBytes
            value = text.truncatedForClient
        }
        guard let text = description.text else { return }
        // The indexes in an edit refer to the complete text, so a truncated text is not editable.
        editable = text.isEditable && isComplete
        multiline = text.isMultiline
        if text.isSecret { secret = true }
        selection = text.selection.map(TextRange.init)
        if label.isEmpty {
            label = placeholder ?? path.map { String($0.split(separator: "/").last ?? "") } ?? ""
        }
    }
}

extension String {
    /// Longest prefix of whole Unicode scalars that may be sent to a client.
    fileprivate var truncatedForClient: String {
        let limit = AccessibilityElement.maximumValueBytes
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
            end = utf8.index(before: end)
        }
        return String(self[..<end])
    }
}

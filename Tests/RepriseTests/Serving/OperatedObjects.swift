import ControllerKit
import StateRestoration

// Objects of an embedding program, which commands operate only through the protocols.

/// View that records the operations on it.
class OperatedView: View {
    /// Operations in the order in which they were performed.
    private(set) var performed: [String] = []
    /// Error that every operation throws, or `nil` to perform operations.
    var refusal: OperationError?

    func record(_ operation: String) throws(OperationError) {
        if let refusal { throw refusal }
        performed.append(operation)
    }
}

final class OperatedList: OperatedView, ListInteracting, Editable {
    private(set) var isEditing = false

    func select(_ indexes: [Int]) throws(OperationError) { try record("choose \(indexes)") }
    func select(modelIdentifiers: [String]) throws(OperationError) {
        try record("choose \(modelIdentifiers)")
    }
    func tapElement(at index: Int) throws(OperationError) { try record("tap \(index)") }
    func moveElement(from index: Int, to destination: Int) throws(OperationError) {
        try record("move \(index) \(destination)")
    }
    func deleteElement(at index: Int) throws(OperationError) { try record("delete \(index)") }
    func changeEditing(_ isOn: Bool) throws(OperationError) {
        try record("edit \(isOn)")
        isEditing = isOn
    }
}

final class OperatedPages: OperatedView, WebNavigating, Scrollable, Zoomable {
    let visibleOrigin = Point.zero
    let zoomScale = 1.0

    func load(_ address: String) throws(OperationError) { try record("load \(address)") }
    func goBack() throws(OperationError) { try record("back") }
    func goForward() throws(OperationError) { try record("forward") }
    func scroll(to point: Point) throws(OperationError) {
        try record("scroll \(point.x) \(point.y)")
    }
    func zoom(to scale: Double) throws(OperationError) { try record("zoom \(scale)") }
}

final class OperatedText: OperatedView, TextInput {
    private(set) var text = ""

    func type(_ text: String, appending: Bool) throws(OperationError) {
        try record("type \(text) \(appending)")
        self.text = appending ? self.text + text : text
        restorableStateDidChange()
    }
    func selectText(_ range: Range<Int>) throws(OperationError) {
        guard range.lowerBound >= 0, range.upperBound <= text.count else {
            throw .notPossible("the text is short")
        }
        try record("select \(range)")
    }
}

final class OperatedButton: OperatedView, Tappable {
    func tap() throws(OperationError) { try record("tap") }
}

/// Controller on which commands operate directly.
final class OperatedController: ViewController, ElementSelecting, BackNavigating {
    private(set) var performed: [String] = []
    let list = OperatedList()
    let pages = OperatedPages()
    let text = OperatedText()
    let button = OperatedButton()

    override func viewDidLoad() {
        super.viewDidLoad()
        for part in [list, pages, text, button] as [View] { view.addSubview(part) }
    }

    override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        if !text.text.isEmpty { coder.encode(text.text, forKey: "text") }
    }

    override func changeEditing(_ isOn: Bool) throws(OperationError) {
        performed.append("edit \(isOn)")
    }
    func select(_ indexes: [Int]) throws(OperationError) { performed.append("choose \(indexes)") }
    func goBack() throws(OperationError) { performed.append("back") }
}

/// Code in docs/own-commands.md.
final class Dial: View, Tappable {
    var isLocked = false
    private(set) var turns = 0

    func tap() throws(OperationError) {
        guard !isLocked else { throw .notPossible("it is locked, unlock it first") }
        turns += 1
        restorableStateDidChange()
    }
}

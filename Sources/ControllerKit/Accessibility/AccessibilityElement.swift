/// A semantic description of one part of a scene.
///
/// Clients such as a web page use the roles, labels and values of elements to build their own interface instead of
/// showing the scene as drawn text. A view returns its elements from ``View/accessibilityElements(maximumRows:)``.
public struct AccessibilityElement {
    /// Maximum size of a ``value`` that is sent to a client, in bytes.
    package static let maximumValueBytes = 64 << 10

    /// The role, which determines how clients present the element.
    public var role: AccessibilityRole
    /// The text that identifies the element to the user, such as a button's title.
    public var label: String
    /// The element's content, or `nil` if it has none or the content is secret.
    public var value: String?
    /// The text that a text box shows while it is empty, or `nil` if there is none.
    public var placeholder: String?
    /// The object to which the user's operations apply, or `nil` if the user cannot operate the element.
    public var target: AnyObject?
    /// The zero-based index of the element in ``target``, or `nil` if the element represents the target itself.
    public var index: Int?
    /// Whether the user can operate the element.
    public var isEnabled = true
    /// Whether the element is selected or switched on, or `nil` if it is neither selectable nor a switch.
    public var isSelected: Bool?
    /// Properties of a text box, or `nil` for other elements.
    public var text: AccessibilityText?
    /// The number that the element shows, such as a slider's value or a zoom scale, with its limits, or `nil` if there
    /// is none.
    public var number: (value: Double, minimum: Double, maximum: Double)?
    /// The point that a picture shows in its upper-left corner, or `nil` for other elements.
    public var visibleOrigin: Point?
    /// Properties of a list, or `nil` for other elements.
    public var list: AccessibilityList?
    /// The user operations that the element supports.
    public var actions: [AccessibilityAction] = []
    /// The elements inside this element, in order.
    public var children: [AccessibilityElement] = []

    /// Creates an element.
    ///
    /// - Parameters:
    ///   - role: The role, which determines how clients present the element.
    ///   - label: The text that identifies the element to the user.
    ///   - target: The object to which the user's operations apply.
    ///   - index: The zero-based index of the element in the target.
    public init(
        _ role: AccessibilityRole, label: String = "", target: AnyObject? = nil, index: Int? = nil
    ) {
        self.role = role
        self.label = label
        self.target = target
        self.index = index
    }
}

/// The role of an element, named after the corresponding WAI-ARIA role.
public enum AccessibilityRole: String, Sendable, CaseIterable {
    /// A control that the user taps.
    case button
    /// A presented controller.
    case dialog
    /// A page of text.
    case document
    /// A group of related elements.
    case group
    /// A picture. The value is the picture as text.
    case image = "img"
    /// A list whose elements are options.
    case listbox
    /// A bar with navigation controls.
    case navigation
    /// An element of a `listbox`.
    case option
    /// An element of a `radiogroup`.
    case radio
    /// A group of options. At most one option is selected.
    case radiogroup
    /// A row of a `table`.
    case row
    /// A control for choosing a number between two limits.
    case slider
    /// A control that is on or off.
    case `switch`
    /// An element of a `tablist`.
    case tab
    /// A list of rows.
    case table
    /// A bar of tabs.
    case tablist
    /// Text that the user cannot edit.
    case text
    /// Text that the user can edit.
    case textbox
}

/// A user operation that an element supports, named after a method of the control interface.
public enum AccessibilityAction: String, Sendable, CaseIterable {
    /// Taps the element.
    case tap
    /// Replaces part of the text.
    case replaceText
    /// Replaces the entire text or the number.
    case type
    /// Selects the element.
    case select
    /// Turns edit mode on or off.
    case edit
    /// Moves the row.
    case move
    /// Deletes the row.
    case delete
    /// Restores the most recently deleted row.
    case undoDelete
    /// Scrolls to another part of the content.
    case scroll
    /// Changes the zoom scale.
    case zoom
    /// Loads a page.
    case load
    /// Goes back.
    case back
    /// Goes forward.
    case forward
    /// Dismisses the presented controller.
    case dismiss
}

/// Properties of a text box.
public struct AccessibilityText: Sendable, Equatable {
    /// Whether the text can span several lines.
    public var isMultiline = false
    /// Whether the text is secret and therefore not sent to clients.
    public var isSecret = false
    /// Whether the user can edit the text.
    public var isEditable = true
    /// The selected characters, or `nil` if the selection is secret.
    public var selection: Range<Int>?

    /// Creates the properties of an editable single-line text box.
    public init() {}
}

/// Properties of a list.
public struct AccessibilityList: Sendable, Equatable {
    /// The number of rows, including rows that are not among the element's children.
    public var count: Int
    /// The index of the first row among the element's children.
    public var firstIndex: Int
    /// Whether edit mode is on, or `nil` if the list has no edit mode.
    public var isEditing: Bool?

    /// Creates the properties of a list.
    public init(count: Int, firstIndex: Int = 0, isEditing: Bool? = nil) {
        self.count = count
        self.firstIndex = firstIndex
        self.isEditing = isEditing
    }
}

extension View {
    /// Returns the elements of all views that are not hidden, in order.
    ///
    /// If a control has no label, the preceding text becomes its label. If clients display this label and the text is that
    /// of a ``Label``, the text has no element of its own.
    func accessibilityElements(of views: [View], maximumRows: Int) -> [AccessibilityElement] {
        var elements: [AccessibilityElement] = []
        var previousView: View?
        for view in views where !view.isHidden {
            for var element in view.accessibilityElements(maximumRows: maximumRows) {
                if element.role.isLabeledByPrecedingText, element.label.isEmpty,
                    let text = elements.last, text.role == .text
                {
                    element.label = text.value ?? ""
                    // Clients display the label together with the control.
                    if previousView is Label, element.role.hasVisibleLabel { elements.removeLast() }
                }
                elements.append(element)
            }
            previousView = view
        }
        return elements
    }

    /// Returns a text element that contains the view's drawing, or `nil` if the drawing is blank.
    func drawnAccessibilityElement() -> AccessibilityElement? {
        var canvas = TextCanvas(width: 80)
        draw(on: &canvas)
        let lines = canvas.lines.map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
        guard lines.contains(where: { !$0.isEmpty }) else { return nil }
        var element = AccessibilityElement(.text)
        element.value = lines.joined(separator: "\n")
        return element
    }
}

extension AccessibilityRole {
    /// Whether clients display the label of an element with this role.
    fileprivate var hasVisibleLabel: Bool { self == .textbox || self == .slider || self == .switch }

    /// Whether the preceding text becomes the label of an element with this role, because the element has no title of
    /// its own.
    fileprivate var isLabeledByPrecedingText: Bool {
        switch self {
        case .textbox, .slider, .switch, .radiogroup, .image, .table, .listbox: true
        default: false
        }
    }
}

extension AccessibilityElement {
    /// Creates a group of elements for a target. At most one element is selected.
    init(
        _ role: AccessibilityRole, of elementRole: AccessibilityRole, titles: [String],
        selectedIndex: Int?, target: AnyObject, isEnabled: Bool = true
    ) {
        self.init(role, target: target)
        self.isEnabled = isEnabled
        children = titles.enumerated().map { index, title in
            var element = AccessibilityElement(
                elementRole, label: title, target: target, index: index)
            element.isEnabled = isEnabled
            element.isSelected = index == selectedIndex
            element.actions = [.select]
            return element
        }
    }
}

extension Window {
    /// Returns the element for the topmost controller, which is the root if no controller is presented.
    ///
    /// - Parameter maximumRows: The maximum number of rows in each list.
    package func accessibilityElement(maximumRows: Int) -> AccessibilityElement {
        guard isKeyWindow, let controller = topViewController else {
            return AccessibilityElement(.group)
        }
        let isPresented = controllerToDismiss != nil
        var element = AccessibilityElement(
            isPresented ? .dialog : .group, label: controller.accessibilityTitle)
        if isPresented { element.actions = [.dismiss] }
        element.children = controller.view.accessibilityElements(maximumRows: maximumRows)
        return element
    }
}

extension ViewController {
    /// The controller's title or, if it has none, the title of the first child that it shows.
    fileprivate var accessibilityTitle: String {
        if !title.isEmpty { return title }
        return childrenToShow.first?.accessibilityTitle ?? ""
    }
}

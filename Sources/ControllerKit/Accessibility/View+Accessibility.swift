extension View {
    /// Returns the elements of visible views, from the first to the last.
    ///
    /// A control without a label is labeled by the text before it.
    func accessibilityElements(of views: [View], maximumRows: Int) -> [AccessibilityElement] {
        var elements: [AccessibilityElement] = []
        for view in views where !view.isHidden {
            for var element in view.accessibilityElements(maximumRows: maximumRows) {
                if element.role.isLabeledByPrecedingText, element.label.isEmpty,
                    let text = elements.last, text.role == .text
                {
                    element.label = text.value ?? ""
                }
                elements.append(element)
            }
        }
        return elements
    }

    /// Returns the drawing of a view as the text of an element, or `nil` if nothing is drawn.
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
    /// Whether a view with this role has no title of its own.
    fileprivate var isLabeledByPrecedingText: Bool {
        switch self {
        case .textbox, .slider, .switch, .radiogroup, .image, .table, .listbox: true
        default: false
        }
    }
}

extension AccessibilityElement {
    /// Creates a group of elements of a target. At most one of them is selected.
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
    /// Returns the element of the controller that was presented last or, if no controller is presented, of the root.
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
    /// The title of the controller or, if it has none, of a controller that it shows.
    fileprivate var accessibilityTitle: String {
        if !title.isEmpty { return title }
        return childrenToShow.first?.accessibilityTitle ?? ""
    }
}

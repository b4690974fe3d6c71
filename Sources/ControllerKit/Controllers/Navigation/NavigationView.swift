/// The bar above what a navigation controller shows: the way back and the left buttons, the title,
/// the right buttons.
final class NavigationView: View {
    override func draw(on canvas: inout TextCanvas) {
        guard let controller = owner as? NavigationController else { return }
        let item = controller.topViewController?.existingNavigationItem
        let back = controller.viewControllers.dropLast().last.map { "‹ \($0.title)" }
        let left = [back].compactMap(\.self) + titles(item?.leftBarButtonItems)
        canvas.bar(
            left: left.joined(separator: "  "),
            title: item?.title ?? controller.topViewController?.title ?? "",
            right: titles(item?.rightBarButtonItems).reversed().joined(separator: "  "))
        canvas.rule()
        super.draw(on: &canvas)
    }

    private func titles(_ items: [BarButtonItem]?) -> [String] {
        (items ?? []).filter { !$0.isHidden }.map(\.drawnTitle)
    }
}

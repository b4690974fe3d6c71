extension ViewController {
    /// Shows the child that is to be shown and no other, of containers that show one at a time.
    func updateShownChild() {
        guard let loadedView else { return }
        let next = loadedViewToShow
        if next === shownChildView, next == nil || next?.superview === loadedView { return }
        let isOnScreen = loadedView.isOnScreen
        let last = shownChildView.flatMap { $0.superview === loadedView ? $0 : nil }
        AppearanceTransition.run(
            leaving: isOnScreen ? last : nil, entering: isOnScreen ? next : nil
        ) {
            // Who is told that it leaves or comes may show yet another.
            let next = loadedViewToShow
            if let shown = shownChildView, shown !== next, shown.superview === loadedView {
                shown.removeFromSuperview()
            }
            shownChildView = next
            if let next, next.superview !== loadedView { loadedView.addSubview(next) }
        }
    }

    /// The view of the child that is to be shown. Loading it may have another shown.
    private var loadedViewToShow: View? {
        while let child = childToShow {
            let view = child.view
            if childToShow === child { return view }
        }
        return nil
    }
}

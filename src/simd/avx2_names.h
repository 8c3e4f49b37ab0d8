// Renames the functions of the scalar code where it is compiled for AVX2: CMake includes this file
// before each of these sources (cmake/scalar.cmake). There is one line for each function and table
// with external linkage, so that they call one another within the instruction set. A function
// without a line is defined twice, and the library does not link;
// tests/structure/instruction_sets.sh reports missing and unused lines.
#ifndef SINEW_SIMD_AVX2_NAMES_H
#define SINEW_SIMD_AVX2_NAMES_H

// clang-format off

// src/math/rows.c
#define sinew_rows_gradient sinew_rows_gradient_avx2
#define sinew_rows_square_norm sinew_rows_square_norm_avx2
#define sinew_rows_subtract sinew_rows_subtract_avx2
#define sinew_rows_outer sinew_rows_outer_avx2
#define sinew_rows_inner sinew_rows_inner_avx2

// src/math/svd.c
#define sinew_svd_layout sinew_svd_layout_avx2
#define sinew_svd_find sinew_svd_find_avx2
#define sinew_svd_project sinew_svd_project_avx2
#define sinew_svd_combine sinew_svd_combine_avx2

// src/math/eigen.c
#define sinew_eigen_symmetric sinew_eigen_symmetric_avx2

// src/math/within.c
#define sinew_all_within sinew_all_within_avx2

// src/math/cone_fours.c
#define sinew_cone_fours_set sinew_cone_fours_set_avx2
#define sinew_cone_fours_reach sinew_cone_fours_reach_avx2
#define sinew_cone_fours_limit sinew_cone_fours_limit_avx2
#define sinew_cone_fours_rotate sinew_cone_fours_rotate_avx2
#define sinew_cone_fours_hold sinew_cone_fours_hold_avx2

// src/math/ldlt.c
#define sinew_ldlt_factor sinew_ldlt_factor_avx2
#define sinew_ldlt_solve sinew_ldlt_solve_avx2

// src/math/qr.c
#define sinew_qr_least_squares sinew_qr_least_squares_avx2

// src/kinematics/place.c
#define sinew_state_accepts sinew_state_accepts_avx2
#define sinew_state_place sinew_state_place_avx2
#define sinew_state_place_some sinew_state_place_some_avx2
#define sinew_state_check_and_place sinew_state_check_and_place_avx2
#define sinew_state_functions_of_set sinew_state_functions_of_set_avx2

// src/kinematics/mass.c
#define sinew_state_centres sinew_state_centres_avx2

// src/kinematics/body.c
#define sinew_state_find_jacobian_body sinew_state_find_jacobian_body_avx2

// src/problem/evaluation.c
#define sinew_evaluation_layout sinew_evaluation_layout_avx2
#define sinew_evaluation_begin sinew_evaluation_begin_avx2
#define sinew_problem_accepts sinew_problem_accepts_avx2
#define sinew_evaluate_residual sinew_evaluate_residual_avx2
#define sinew_evaluate_rows sinew_evaluate_rows_avx2
#define sinew_evaluate_jacobian sinew_evaluate_jacobian_avx2
#define sinew_evaluation_feed_forward sinew_evaluation_feed_forward_avx2
#define sinew_evaluation_first_order sinew_evaluation_first_order_avx2
#define sinew_evaluation_column sinew_evaluation_column_avx2

// src/problem/columns.c
#define sinew_fill_columns sinew_fill_columns_avx2
#define sinew_fill_columns_curved sinew_fill_columns_curved_avx2
#define sinew_fill_columns_predicted sinew_fill_columns_predicted_avx2
#define sinew_predicted_error sinew_predicted_error_avx2

// src/problem/curvature.c
#define sinew_evaluate_curvature sinew_evaluate_curvature_avx2

// src/step/box.c
#define sinew_box_solve sinew_box_solve_avx2

// src/step/clamp.c
#define sinew_clamp_max_abs sinew_clamp_max_abs_avx2
#define sinew_clamp_magnitude sinew_clamp_magnitude_avx2

// src/step/dls.c
#define sinew_dls_layout sinew_dls_layout_avx2
#define sinew_dls_factor sinew_dls_factor_avx2
#define sinew_dls_solve sinew_dls_solve_avx2
#define sinew_dls_predict_residual sinew_dls_predict_residual_avx2
#define sinew_dls_step sinew_dls_step_avx2

// src/step/ends.c
#define sinew_ends_solve sinew_ends_solve_avx2

// src/step/filter.c
#define sinew_filter_layout sinew_filter_layout_avx2
#define sinew_filter_estimate sinew_filter_estimate_avx2

// src/step/formed.c
#define sinew_formed_layout sinew_formed_layout_avx2
#define sinew_formed_matrix sinew_formed_matrix_avx2
#define sinew_formed_factor sinew_formed_factor_avx2
#define sinew_formed_solve sinew_formed_solve_avx2
#define sinew_formed_unconstrained sinew_formed_unconstrained_avx2

// src/step/hold.c
#define sinew_hold_outward sinew_hold_outward_avx2
#define sinew_hold_residual sinew_hold_residual_avx2

// src/step/level.c
#define sinew_level_layout sinew_level_layout_avx2
#define sinew_level_solve sinew_level_solve_avx2
#define sinew_level_begin_corrections sinew_level_begin_corrections_avx2
#define sinew_level_correct sinew_level_correct_avx2
#define sinew_level_left sinew_level_left_avx2

// src/step/newton.c
#define sinew_newton_layout sinew_newton_layout_avx2
#define sinew_newton_multiply sinew_newton_multiply_avx2
#define sinew_newton_solve sinew_newton_solve_avx2
#define sinew_newton_step sinew_newton_step_avx2

// src/step/qp.c
#define sinew_qp_workspace_layout sinew_qp_workspace_layout_avx2
#define sinew_qp_solve_dense sinew_qp_solve_dense_avx2
#define sinew_qp_minimise sinew_qp_minimise_avx2
#define sinew_qp_functions_of_set sinew_qp_functions_of_set_avx2

// src/step/constrained.c
#define sinew_constrained_layout sinew_constrained_layout_avx2
#define sinew_constrained_holds sinew_constrained_holds_avx2
#define sinew_constrained_step sinew_constrained_step_avx2
#define sinew_constrained_project sinew_constrained_project_avx2

// src/solve/level_ranges.c
#define sinew_level_ranges_may_be_left sinew_level_ranges_may_be_left_avx2
#define sinew_level_ranges_begin sinew_level_ranges_begin_avx2
#define sinew_level_ranges_write sinew_level_ranges_write_avx2
#define sinew_level_ranges_recall sinew_level_ranges_recall_avx2
#define sinew_level_ranges_keep_active sinew_level_ranges_keep_active_avx2
#define sinew_level_ranges_note_reached sinew_level_ranges_note_reached_avx2
#define sinew_level_ranges_find_excess sinew_level_ranges_find_excess_avx2
#define sinew_level_ranges_write_again sinew_level_ranges_write_again_avx2
#define sinew_level_ranges_are_kept sinew_level_ranges_are_kept_avx2
#define sinew_level_ranges_end sinew_level_ranges_end_avx2

// src/solve/backward_differences.c
#define sinew_backward_differences_layout sinew_backward_differences_layout_avx2
#define sinew_backward_differences_reset sinew_backward_differences_reset_avx2
#define sinew_backward_differences_add sinew_backward_differences_add_avx2
#define sinew_backward_differences_take sinew_backward_differences_take_avx2

// src/solve/level_rows.c
#define sinew_level_write_rows sinew_level_write_rows_avx2
#define sinew_level_turn_rows sinew_level_turn_rows_avx2

// src/solve/hard.c
#define sinew_hard_find_sides sinew_hard_find_sides_avx2
#define sinew_hard_have_same_columns sinew_hard_have_same_columns_avx2
#define sinew_hard_write_rows sinew_hard_write_rows_avx2
#define sinew_hard_begin sinew_hard_begin_avx2
#define sinew_hard_find_curvature sinew_hard_find_curvature_avx2
#define sinew_hard_step sinew_hard_step_avx2
#define sinew_hard_keep sinew_hard_keep_avx2

// src/step/plain.c
#define sinew_plain_layout sinew_plain_layout_avx2
#define sinew_plain_step sinew_plain_step_avx2
#define sinew_conjugate_step sinew_conjugate_step_avx2

// src/step/projected.c
#define sinew_projected_step sinew_projected_step_avx2

// src/step/weighted.c
#define sinew_weighted_layout sinew_weighted_layout_avx2
#define sinew_weighted_factor sinew_weighted_factor_avx2
#define sinew_weighted_step sinew_weighted_step_avx2

// src/step/quasi.c
#define sinew_quasi_layout sinew_quasi_layout_avx2
#define sinew_bfgs_step sinew_bfgs_step_avx2
#define sinew_lbfgs_step sinew_lbfgs_step_avx2

// src/step/pseudoinverse.c
#define sinew_pseudoinverse_layout sinew_pseudoinverse_layout_avx2
#define sinew_pseudoinverse_apply sinew_pseudoinverse_apply_avx2
#define sinew_pseudoinverse_solve sinew_pseudoinverse_solve_avx2
#define sinew_pseudoinverse_step sinew_pseudoinverse_step_avx2

// src/step/sdls.c
#define sinew_sdls_layout sinew_sdls_layout_avx2
#define sinew_sdls_solve sinew_sdls_solve_avx2
#define sinew_sdls_step sinew_sdls_step_avx2

// src/step/segment.c
#define sinew_segment_eliminate sinew_segment_eliminate_avx2
#define sinew_segment_substitute sinew_segment_substitute_avx2

// src/step/transpose.c
#define sinew_transpose_layout sinew_transpose_layout_avx2
#define sinew_transpose_step sinew_transpose_step_avx2

// src/analytic/branches.c
#define sinew_arm_solve_branches sinew_arm_solve_branches_avx2
#define sinew_arm_set_place sinew_arm_set_place_avx2

// src/analytic/pair.c
#define sinew_arm_solve_pair sinew_arm_solve_pair_avx2

// src/solve/damping.c
#define sinew_damping_layout sinew_damping_layout_avx2
#define sinew_damping_reset sinew_damping_reset_avx2
#define sinew_damping_needs_rows sinew_damping_needs_rows_avx2
#define sinew_damping_constants_of sinew_damping_constants_of_avx2
#define sinew_damping_fill sinew_damping_fill_avx2
#define sinew_damping_predict sinew_damping_predict_avx2
#define sinew_damping_adapt sinew_damping_adapt_avx2
#define sinew_damping_again sinew_damping_again_avx2

// src/solve/update.c
#define sinew_solver_bound_step sinew_solver_bound_step_avx2
#define sinew_solver_check sinew_solver_check_avx2
#define sinew_solver_end_alone sinew_solver_end_alone_avx2
#define sinew_solver_evaluate sinew_solver_evaluate_avx2
#define sinew_solver_converged sinew_solver_converged_avx2
#define sinew_solver_report sinew_solver_report_avx2
#define sinew_solver_apply_step sinew_solver_apply_step_avx2
#define sinew_solver_narrow_motion sinew_solver_narrow_motion_avx2
#define sinew_solver_linearize sinew_solver_linearize_avx2
#define sinew_solver_take_update sinew_solver_take_update_avx2
#define sinew_solver_functions_of_set sinew_solver_functions_of_set_avx2

// src/solve/find_step.c
#define sinew_solver_find_step sinew_solver_find_step_avx2
#define sinew_solver_find_damped_step sinew_solver_find_damped_step_avx2
#define sinew_solver_finish_step sinew_solver_finish_step_avx2
#define sinew_solver_keep_speeds sinew_solver_keep_speeds_avx2
#define sinew_track_narrow_bounds sinew_track_narrow_bounds_avx2
#define sinew_track_limit_change sinew_track_limit_change_avx2
#define sinew_track_carry_motion sinew_track_carry_motion_avx2
#define sinew_solver_track sinew_solver_track_avx2
#define sinew_solver_record_targets sinew_solver_record_targets_avx2
#define sinew_solver_track_on sinew_solver_track_on_avx2
#define sinew_solver_step_problem sinew_solver_step_problem_avx2
#define sinew_solver_solve_damped sinew_solver_solve_damped_avx2

// src/solve/lower_kept.c
#define sinew_solver_lower_meets sinew_solver_lower_meets_avx2
#define sinew_lower_rest_factor sinew_lower_rest_factor_avx2
#define sinew_lower_is_met sinew_lower_is_met_avx2
#define sinew_lower_is_kept sinew_lower_is_kept_avx2
#define sinew_lower_feeds_forward sinew_lower_feeds_forward_avx2
#define sinew_lower_top_ends_elsewhere sinew_lower_top_ends_elsewhere_avx2
#define sinew_lower_count_active sinew_lower_count_active_avx2
#define sinew_lower_top_is_held sinew_lower_top_is_held_avx2

// src/solve/lower_step.c
#define sinew_lower_find_motion sinew_lower_find_motion_avx2
#define sinew_lower_measure_motion sinew_lower_measure_motion_avx2
#define sinew_lower_find_step sinew_lower_find_step_avx2
#define sinew_lower_limit_length sinew_lower_limit_length_avx2
#define sinew_lower_try_share sinew_lower_try_share_avx2
#define sinew_lower_cost sinew_lower_cost_avx2
#define sinew_lower_settle sinew_lower_settle_avx2

// src/solve/lower_descent.c
#define sinew_solver_descend_lower sinew_solver_descend_lower_avx2

// src/solve/lower.c
#define sinew_solver_lower sinew_solver_lower_avx2

// src/solve/objective_rows.c
#define sinew_levels_add_objectives sinew_levels_add_objectives_avx2

// src/solve/cone_brakes.c
#define sinew_cones_brake sinew_cones_brake_avx2

// src/solve/cones.c
#define sinew_cone_step_combine sinew_cone_step_combine_avx2
#define sinew_cones_next sinew_cones_next_avx2
#define sinew_cones_begin sinew_cones_begin_avx2
#define sinew_cones_bound sinew_cones_bound_avx2
#define sinew_cones_open sinew_cones_open_avx2
#define sinew_cones_to_joints sinew_cones_to_joints_avx2
#define sinew_cones_clamp sinew_cones_clamp_avx2
#define sinew_cones_move sinew_cones_move_avx2
#define sinew_cones_damp sinew_cones_damp_avx2
#define sinew_cones_free_gradient sinew_cones_free_gradient_avx2

// src/solve/methods.c
#define sinew_solver_free_gradient sinew_solver_free_gradient_avx2
#define sinew_solver_first_order sinew_solver_first_order_avx2
#define sinew_method_row_of sinew_method_row_of_avx2
#define sinew_method_obeys sinew_method_obeys_avx2

// clang-format on

#endif
